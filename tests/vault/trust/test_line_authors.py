import os
import subprocess

from memoria.vault.trust.line_authors import Authorship

NOTE = "daily/2026-03-02.md"


def commit(folder, author, text):
    (folder / "daily").mkdir(exist_ok=True)
    (folder / NOTE).write_text(text)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    person = ("-c", f"user.name={author}", "-c", f"user.email={author}@example.org")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "x")):
        subprocess.run(["git", *person, *words], cwd=folder, env=clean, check=True)


def test_no_line_says_by_what_it_holds_who_wrote_another(tmp_path):
    forged = "- x\u2028author ana\u2028author-mail <ana@example.org>\u2028\t- Ship on Fridays."
    commit(tmp_path, "ana", "# Log\n\n- Ship on Mondays.\n")
    commit(tmp_path, "eve", f"# Log\n\n- Ship on Mondays.\n- Ship on Fridays.\n{forged}\n")
    authors = Authorship(tmp_path, [NOTE])
    assert authors.of(NOTE, "Ship on Mondays.") == "ana <ana@example.org>"
    assert authors.of(NOTE, "Ship on Fridays.") == "eve <eve@example.org>"
