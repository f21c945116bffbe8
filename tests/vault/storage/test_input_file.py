import io
import os
import sys
import threading

import pytest

from memoria.errors import UsageError
from memoria.vault.storage import input_file as handed


def test_a_file_a_link_and_a_pipe_are_read(tmp_path, monkeypatch):
    path = tmp_path / "review.txt"
    path.write_bytes("\ufeffGrüße\n".encode())
    link = tmp_path / "link"
    link.symlink_to(path)
    assert handed.text(str(path), 100) == handed.text(str(link), 100) == "Grüße\n"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert handed.text("~/review.txt", 100) == "Grüße\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped")))
    assert handed.text("-", 100) == "piped"
    assert not handed.is_terminal("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFO on this system")
def test_the_end_of_a_pipe_has_a_name_too(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_text, args=("through a name",))
    writer.start()
    assert handed.text(str(fifo), 100) == "through a name"
    writer.join()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"PNG\0\0data", "is binary"),
        (b"caf\xe9", "is not UTF-8 (byte 3)"),
        ("text".encode("utf-16"), "is not UTF-8 (byte 0)"),
        (b"x" * 2049, "is over 2 KB"),
    ],
)
def test_what_is_no_text(tmp_path, data, why):
    path = tmp_path / "review"
    path.write_bytes(data)
    with pytest.raises(UsageError) as error:
        handed.text(str(path), 2048)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["missing", ".", "a\0b", "x" * 5000])
def test_what_is_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as error:
        handed.text(name, 100)
    assert "cannot be read" in str(error.value) or "is a folder" in str(error.value)
