import pytest
import reported
from place import state_of

from memoria import terminal


@pytest.fixture
def full(place):
    ids = reported.rules(place)
    reported.fill(place, reported.history(150, ids=ids))
    reported.believe(place, ids)
    return place


def test_a_vault_without_anything(place):
    code, out, err = place.run("report")
    assert code == 0
    assert out.strip() == str(place.vault / "reports" / "report.html")
    assert "Nothing is captured yet" in err
    text = (place.vault / "reports" / "report.html").read_text(encoding="utf-8")
    assert "memoria import" in text
    assert "<figure" not in text


def test_the_file_that_is_named(full, tmp_path):
    page = tmp_path / "other place" / "r.html"
    page.parent.mkdir()
    found, text = reported.report(full, "-o", str(page))
    assert found["file"] == str(page)
    assert 'href="../vault/knowledge/rules/' in text
    found, text = reported.report(full, "-o", str(tmp_path / "r.md"))
    assert (found["format"], text[:2]) == ("markdown", "# ")


def test_bad_places_are_refused_in_a_line(place, tmp_path):
    for target, said in ((tmp_path, "that is a folder"), (tmp_path / "no" / "r.html", "no folder")):
        code, _, err = place.run("report", "-o", str(target))
        assert code == 2
        assert said in err
    assert not (place.vault / "reports").exists()
    log = place.vault / "knowledge" / "log.md"
    code, _, err = place.run("report", "-o", str(log))
    assert code == 2
    assert "the notes of the vault lie there" in err


def test_one_project(full):
    found, text = reported.report(full, "--project", "shop")
    assert 0 < found["captures"]["sessions"] < 150
    assert "projects named like “shop”" in text
    assert "all projects together" in found["verdict"]["notes"][0]
    code, _, err = full.run("report", "--project", "nothing-like-it")
    assert code == 2
    assert "no such project" in err


def test_hostile_names_stay_words(place):
    text = '<script>alert("x")</script> & never "quote" it'
    ids = reported.rules(place, (text,))
    (note,) = (place.vault / "knowledge" / "rules").glob("*.md")
    # as a person may have written it; Memoria itself writes no tag
    note.write_text(note.read_text().replace("&lt;", "<"))
    evil = 'github.com/"ana"/<b>shop'
    found = [one | ({"project": evil} if "project" in one else {}) for one in
             reported.history(60, ids=ids) if one["kind"] != "experiment"]  # fmt: skip
    reported.fill(place, found)
    reported.believe(place, ids)
    _, page = reported.report(place)
    assert "<script" not in page
    assert "<b>shop" not in page
    assert "&lt;script&gt;" in page
    _, note = reported.report(place, "--format", "markdown")
    assert "<script" not in note


def test_a_torn_ledger_is_no_traceback(place):
    reported.fill(place, reported.history(12))
    with (state_of(place.vault) / "ledger.jsonl").open("a") as file:
        file.write(
            '{"kind": "injection", "slate": 5, "session": 7}\n{"kind": "call", "input": "x"}\n'
        )
        file.write('{"kind": "session", "day": "never", "entry": "e-x"}\n{"torn')
    assert reported.report(place)[0]["captures"]["sessions"] == 12


def test_a_secret_in_a_rule_does_not_reach_the_page(place):
    key = "ghp_" + "a1B2" * 9
    ids = reported.rules(place, (f"Always use the token {key} for releases",))
    reported.fill(place, reported.history(40, ids=ids))
    for arguments in ((), ("--format", "markdown")):
        _, text = reported.report(place, *arguments)
        assert key not in text
        assert "Always use the token" in text


def test_opening_it(full, monkeypatch):
    asked = []
    monkeypatch.setattr(terminal, "browse", lambda path, _: asked.append(path) or True)
    code, _, err = full.run("report", "--open")
    assert (code, asked) == (0, [full.vault / "reports" / "report.html"])
    assert "no browser" not in err
    monkeypatch.setattr(terminal, "browse", lambda *_: False)
    code, _, err = full.run("report", "--open", "--quiet")
    assert code == 0
    assert "no browser with a window was found" in err
