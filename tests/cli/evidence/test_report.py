import json

import pytest
import reported
from place import state_of
from reported import SHOP

from memoria import terminal_browser as browser


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


def test_the_whole_report(full):
    found, text = reported.report(full)
    assert found["format"] == "html"
    assert found["verdict"]["kind"] == "better"
    assert found["verdict"]["sentence"] in text
    assert found["study"]["sessions"] == 100
    assert found["captures"]["sessions"] == 150
    assert len(found["rules"]) == 8
    assert all(one["injected"] and one["posterior"] for one in found["rules"])
    assert found["cost"]["operations"][0]["operation"] == "compile"
    for name in ("repeats", "rmr", "stake", "beliefs", "troubles", "captures", "expenses"):
        assert f'<figure class="card" id="{name}">' in text
    assert "../knowledge/rules/never-force-push-to-main.md" in text
    assert (full.vault / "knowledge/rules/never-force-push-to-main.md").is_file()
    assert 'href="../daily/2026-04-' in text
    assert found["backtest"]["caveat"] in text


def test_the_same_vault_gives_the_same_page(full, monkeypatch):
    first = reported.report(full)[0]
    assert reported.report(full)[0] == first


def test_a_note_for_obsidian(full):
    found, text = reported.report(full, "--format", "markdown")
    assert found["file"] == str(full.vault / "reports" / "report.md")
    assert text.startswith("# Memoria report\n")
    assert "[[rules/never-force-push-to-main\\|wf-" in text
    assert "| with Memoria |" in text


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


def test_no_experiment_claims_nothing(place):
    ids = reported.rules(place)
    reported.fill(place, reported.history(40, ids=ids, study=""))
    found, text = reported.report(place)
    assert found["verdict"]["kind"] == "no study"
    assert found["study"] is None
    assert "memoria experiment start" in text
    assert "e-value" not in text


def test_sessions_without_a_coin_are_counted_and_said(place):
    records = list(reported.history(90))
    lost = {f"s-{number:04d}" for number in range(60, 70)}
    kept = [one for one in records if one["kind"] != "injection" or one["session"] not in lost]
    reported.fill(place, kept)
    found, _ = reported.report(place)
    assert found["study"]["sessions"] == 50
    assert any("10 sessions left out: the coin" in note for note in found["verdict"]["notes"])


@pytest.mark.parametrize("sessions", [1, 2, 5])
def test_a_few_sessions_are_no_error_and_no_claim(place, sessions):
    reported.fill(place, reported.history(sessions))
    found, text = reported.report(place)
    assert found["verdict"]["kind"] in {"cannot tell", "not yet", "no study"}
    assert 'id="stake"' not in text


def test_what_stands_beside_the_verdict(place):
    texts = reported.TEXTS[:3]
    ids = reported.rules(place, texts)
    pinned = reported.rules(place, ("Always answer in English",), status="pinned")
    reported.fill(place, reported.history(90, ids=ids))
    found, text = reported.report(place)
    assert pinned[0] not in " ".join(found["verdict"]["notes"])
    for said in ("Outside the experiment", "Always answer in English</a>", "class correction",
                 "Rules that go along with corrections", "project trailmap"):  # fmt: skip
        assert said in text
    _, note = reported.report(place, "--format", "markdown")
    for said in (
        "Outside the experiment",
        "|wf-",
        "| class correction |",
        "corrections per session",
    ):
        assert said in note


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


def test_what_waits_in_the_spool_is_told(place):
    reported.fill(place, reported.history(12))
    folder = state_of(place.vault) / "spool" / "new"
    folder.mkdir(parents=True, exist_ok=True)
    job = {"session": "s-9", "transcript": "/x", "at": 1_775_000_000.0, "error": "no credit"}
    (folder / "1.json").write_text(json.dumps(job))
    found, text = reported.report(place)
    assert found["captures"]["waiting"] == 1
    assert "the oldest since" in text
    assert "no credit" in text


def test_opening_it(full, monkeypatch):
    asked = []
    monkeypatch.setattr(browser, "show", lambda path, _: asked.append(path) or True)
    code, _, err = full.run("report", "--open")
    assert (code, asked) == (0, [full.vault / "reports" / "report.html"])
    assert "no browser" not in err
    monkeypatch.setattr(browser, "show", lambda *_: False)
    code, _, err = full.run("report", "--open", "--quiet")
    assert code == 0
    assert "no browser with a window was found" in err


def test_a_vault_is_needed(place, tmp_path):
    state_of(place.vault).rename(tmp_path / "gone")
    code, _, err = place.run("report")
    assert code == 3
    assert "memoria init" in err


def test_several_experiments_are_all_told(full):
    again = reported.experiments.Experiment("x-9999999999", SHOP, "coin", reported.START)
    ended = {
        **reported.experiments.record(reported.START, "end", again),
        "at": "2026-03-03T00:00:00+00:00",
    }
    reported.fill(full, [reported.experiments.record(reported.START, "start", again), ended])
    found, text = reported.report(full)
    assert found["study"]["id"] == "x-0123456789"
    assert [one["id"] for one in found["others"]] == ["x-9999999999"]
    assert "x-9999999999" in text
