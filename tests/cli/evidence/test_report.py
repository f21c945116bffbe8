import pytest
import reported
from place import state_of


@pytest.fixture
def full(place):
    ids = reported.rules(place)
    reported.fill(place, reported.history(150, ids=ids))
    reported.believe(place, ids)
    return place


def test_the_file_that_is_named(full, tmp_path):
    found, text = reported.report(full, "-o", str(tmp_path / "r.md"))
    assert (found["file"], text[:2]) == (str(tmp_path / "r.md"), "# ")


def test_bad_places_are_refused_in_a_line(place, tmp_path):
    for target, said in ((tmp_path, "that is a folder"), (tmp_path / "no" / "r.html", "no folder")):
        assert said in place.err("report", "-o", str(target), code=2)
    assert not (place.vault / "reports").exists()
    log = place.vault / "knowledge" / "log.md"
    assert "the notes of the vault lie there" in place.err("report", "-o", str(log), code=2)


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
    _, text = reported.report(place)
    assert "<script" not in text
    assert "<b>shop" not in text
    assert "script" in text


def test_a_torn_ledger_is_no_traceback(place):
    reported.fill(place, reported.history(12))
    with (state_of(place.vault) / "ledger.jsonl").open("a") as file:
        file.write(
            '{"kind": "injection", "slate": 5, "session": 7}\n{"kind": "call", "input": "x"}\n'
        )
        file.write('{"kind": "session", "day": "never", "entry": "e-x"}\n{"torn')
    assert reported.report(place)[0]["captures"]["sessions"] == 13


def test_a_secret_in_a_rule_does_not_reach_the_page(place):
    key = "ghp_" + "a1B2" * 9
    ids = reported.rules(place, (f"Always use the token {key} for releases",))
    reported.fill(place, reported.history(40, ids=ids))
    _, text = reported.report(place)
    assert key not in text
    assert "Always use the token" in text
