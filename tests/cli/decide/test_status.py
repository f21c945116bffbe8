import json

import pytest
from place import debugging, state_of

WIDTH = 80


def headings(text):
    """The headings of the first lines and what stands behind each."""
    rows = {}
    for line in text.split("\n\n")[0].splitlines():
        if line[:1] != " ":
            name = line.partition(":")[0]
        rows[name] = f"{rows.get(name, '')} {line.partition(':')[2] or line}".strip()
    return rows


def test_the_state_of_the_whole_in_lines_that_fit(place):
    for name in ("s-1", "s-2"):
        place.transcript(name, *debugging())
    place.run("import")
    place.run("install")
    place.run("remember", "Run the linter before each commit, in every project that has one")
    out = place.do("status")
    rows = headings(out)
    assert rows["Vault"] == str(place.vault)  # as long as it is
    assert all(len(row) <= WIDTH for row in out.splitlines() if not row.startswith("Vault:"))
    assert rows["Captured"].startswith("since 20")
    assert rows["Log"].startswith("2 entries")
    assert rows["Rules"].startswith("1 active")


def test_what_is_next_depends_on_the_sessions_there_are(place):
    place.run("install")
    assert headings(place.run("status")[1])["Next"].startswith("`memoria demo`")
    place.transcript("s-1", *debugging())
    assert headings(place.run("status")[1])["Next"].startswith("`memoria import`")


@pytest.mark.parametrize(
    ("folder", "where"), [("vault", "every project"), ("home", "every project"), ("code", "/code")]
)
def test_a_rule_taught_in_the_vault_or_the_home_folder_holds_everywhere(
    place, monkeypatch, folder, where
):
    here = place.root / folder
    here.mkdir(exist_ok=True)
    monkeypatch.chdir(here)
    assert place.run("remember", "Run the linter before each commit")[2].endswith(f"{where})\n")


def test_what_a_vault_may_not_set_is_named(place):
    (place.vault / ".env").write_text("MEMORIA_ENGINE=offline\n")
    _, _, err = place.run("status")
    assert "ignored in" in err
    assert "MEMORIA_ENGINE; set them in your environment or in" in " ".join(err.split())


def test_an_empty_vault_says_what_is_next(place):
    rows = headings(place.do("status"))
    assert rows["Captured"] == "new sessions are not captured: no hooks serve this vault"
    assert rows["Next"].startswith("`memoria install`")


def test_a_project_whose_start_tells_lines_has_a_state(place, monkeypatch):
    project = place.root / "code"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name, at in (("s-1", 0), ("s-2", 3000)):
        lines = json.loads(json.dumps(debugging(at=at)).replace("[main ", "[feature/lease "))
        where = {"cwd": str(project), "gitBranch": "feature/lease"}
        place.transcript(name, *(line | where for line in lines))
    place.do("import")
    monkeypatch.chdir(project)
    rows = [json.loads(path.read_text()) for path in state_of(place.vault).glob("inject/*.json")]
    assert any(row.get("start") for row in rows)
    assert headings(place.do("status"))["Log"].startswith("2 entries")
