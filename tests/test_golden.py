"""The vault that the sample sessions give, reviewed as a diff: the whole loop in one comparison.

UPDATE_GOLDEN=1 writes it anew; read the difference before you keep it. The files end in .txt:
who opens a clone in Obsidian sees no notes of the tests.
"""

import os
import re
import shutil
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden" / "samples"
STAMP = re.compile(r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\]")


def test_the_vault_of_the_samples(demo_place):
    files = demo_place.files().items()
    found = {name: STAMP.sub("[TIME]", data.decode("utf-8")) for name, data in files}
    if os.environ.get("UPDATE_GOLDEN"):
        write(found)
    wanted = {
        str(path.relative_to(GOLDEN)).removesuffix(".txt"): path.read_text(encoding="utf-8")
        for path in sorted(GOLDEN.rglob("*.md.txt"))
    }
    assert found.keys() == wanted.keys()
    for name, text in found.items():
        assert text == wanted[name], name


def write(found):
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for name, text in found.items():
        path = GOLDEN / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
