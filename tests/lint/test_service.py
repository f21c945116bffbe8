"""`memoria lint` on a vault on disk, with the offline and a scripted engine."""

import json
import re
from datetime import date

import pytest
from linted import LONG, article
from place import debugging, state_of
from scripted import ScriptedModel

from memoria.lint.service import lint_vault
from memoria.workspace import Workspace

OPPOSITE = ("The search results are cached by the gateway.", "The search results are not cached.")


@pytest.fixture
def filled(place):
    """A vault with one compiled day and two articles on it."""
    place.transcript("s1", *debugging())
    place.run("import", "--from", str(place.projects))
    (block,) = place.work.vault.log(date(2026, 3, 2)).blocks
    entry = block.entry.id
    articles = [_proposal(name, other, entry) for name, other in (TWO, TWO[::-1])]
    engine = script(place, {"articles": articles, "rules": []})
    code, _, err = place.run("compile", "--engine", engine)
    assert (code, len(list((place.vault / "knowledge/concepts").glob("*.md")))) == (0, 2), err
    return place


TWO = ("session-tokens", "utc")


def _proposal(name, other, entry):
    line = {"text": f"The {name} are looked at in every test.", "entry": entry}
    return {
        "kind": "concept",
        "slug": name,
        "title": f"On {name}",
        "lead": f"About {name} and why. They expire.",
        "sections": [{"heading": "Details", "prose": LONG, "lines": [line]}],
        "entries": [entry],
        "aliases": [],
        "tags": ["auth"],
        "related": [{"target": f"concepts/{other}", "why": "both are times"}],
        "connects": [],
    }


def put(place, name, text):
    path = place.vault / "knowledge" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def script(place, *answers):
    path = place.root / "script.json"
    path.write_text(json.dumps(answers))
    return f"scripted:{path}"


def found(place, *options):
    findings = place.json("lint", "--structural-only", *options)["findings"]
    return {(one["check"], one["path"]) for one in findings}


def pair(place):
    """Two articles that contradict each other and are sound otherwise."""
    for name, other, text in (("a", "b", OPPOSITE[0]), ("b", "a", OPPOSITE[1])):
        body = f"{text}\n\n## Related Concepts\n\n- [[concepts/{other}]]"
        put(place, f"concepts/{name}", article(body, name.upper()))
    place.run("lint", "--structural-only", "--fix")


def test_a_derived_page_contradicts_nobody(place):
    put(place, "concepts/a", article(OPPOSITE[0], "A"))
    path = put(place, "projects/shop", article(OPPOSITE[1], "Shop"))
    answer = {"contradictions": [{"one": "L2", "other": "L4", "why": "Cached or not."}]}
    told = place.json("lint", "--engine", script(place, answer))["findings"]
    assert "contradictions" in {one["check"] for one in told}
    derived = path.read_text("utf-8").replace("---\n", "---\nmade: h0123456789a\n", 1)
    path.write_text(derived, "utf-8")
    told = place.json("lint", "--engine", script(place, answer))["findings"]
    assert "contradictions" not in {one["check"] for one in told}


# -- What comes out -------------------------------------------------------------------------------


def test_the_vault_of_the_samples_has_no_errors(demo_place):
    value = demo_place.json("lint", "--engine", "offline")
    assert value["counts"]["error"] == 0
    assert {one["check"] for one in value["findings"]} <= {"orphan-pages"}


def test_what_a_fix_derives_anew_is_no_error_of_that_run(demo_place):
    page = next((demo_place.vault / "knowledge/projects").glob("*.md"))
    name = next(name for name in re.findall(r"\[\[(concepts/[^\]|]+)", page.read_text()))
    note = demo_place.vault / f"knowledge/{name}.md"
    note.rename(note.with_name("renamed.md"))
    fixed, after = (
        demo_place.json("lint", "--structural-only", *options) for options in (["--fix"], [])
    )
    assert fixed["counts"]["error"] == after["counts"]["error"]
    assert "projects/" not in str(fixed["findings"])


def test_json_has_the_agreed_fields(place):
    put(place, "concepts/a", article("[[gone]]", "A"))
    code, out, _ = place.run("lint", "--structural-only", "--json")
    value = json.loads(out)
    assert (code, value["counts"]) == (1, {"error": 1, "warning": 2, "suggestion": 0})
    first = value["findings"][0]
    assert first.keys() == {"check", "severity", "path", "line", "message"}
    assert (first["check"], first["severity"]) == ("broken-links", "error")
    assert (first["path"], type(first["line"])) == ("knowledge/concepts/a.md", int)


def test_report_log_and_state_and_that_only_errors_make_the_exit_code_1(filled):
    value = filled.json("lint", "--structural-only")
    assert re.fullmatch(r"reports/lint-\d{4}-\d\d-\d\d\.md", value["report"])
    report = (filled.vault / value["report"]).read_text(encoding="utf-8")
    assert report.startswith("# Lint Report: ")
    assert "/reports/" in (filled.vault / ".gitignore").read_text()
    log = (filled.vault / "knowledge" / "log.md").read_text(encoding="utf-8")
    assert re.search(r"\n## \[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\] lint \| \d+ notes\n- Found: ", log)
    state = json.loads((state_of(filled.vault) / "state.json").read_text())
    assert state["last_lint"]
    assert state["ingested"]
    assert [record["task"] for record in filled.ledger("call")] == ["compile", "lint"]
    put(filled, "concepts/lonely", article("", "Lonely"))
    out = filled.do("lint", "--structural-only")
    assert "warning: knowledge/concepts/lonely.md:1:" in out
    put(filled, "concepts/lonely", "no frontmatter")
    filled.do("lint", "--structural-only", code=1)


def test_a_report_that_cannot_be_written_costs_only_the_report(place):
    (place.vault / "reports").write_text("a file")
    code, _, err = place.run("lint", "--structural-only")
    assert code == 0
    assert "no report was written" in err


# -- Where articles come from ---------------------------------------------------------------------


def test_a_log_that_has_changed(filled):
    log = filled.vault / "daily" / "2026-03-02.md"
    text = log.read_text(encoding="utf-8")
    log.write_text(text + "\n### Session (23:00) - Later\n\n- Another lesson.\n", encoding="utf-8")
    stale = {("stale-articles", f"knowledge/concepts/{name}.md") for name in TWO}
    assert found(filled) == stale
    filled.run("compile", "--engine", "offline")
    assert "stale-articles" not in {check for check, _ in found(filled)}


# -- Mending --------------------------------------------------------------------------------------


def test_fix_mends_links_back_and_the_index_in_one_step(place):
    many = "".join(f"- [[concepts/o{n}]]\n" for n in range(11))
    put(place, "concepts/a", article("[[concepts/b]]. [[concepts/c]] [[concepts/full]]", "A"))
    put(place, "concepts/b", article("## Sources\n\n- x\n", "B"))
    put(place, "concepts/c", article("", "C").replace("\n", "\r\n"))
    full = f"[[concepts/a]] [[concepts/b]]\n\n## Related Concepts\n\n{many}- [[concepts/c]]\n"
    put(place, "concepts/full", article(full, "Full"))
    index = place.vault / "knowledge" / "index.md"
    index.write_text(index.read_text() + "| [[concepts/gone]] | x | y | z |\n")
    value = json.loads(place.run("lint", "--structural-only", "--fix", "--json")[1])
    names = [f"knowledge/concepts/{name}.md" for name in "bc"]
    assert value["mended"] == [*names, "knowledge/index.md"]
    files = place.files()
    sections = files["knowledge/concepts/b.md"].decode().partition("## Related Concepts\n\n")[2]
    assert sections == "- [[concepts/a]]\n- [[concepts/full]]\n\n## Sources\n\n- x\n\n"
    assert b"\r\n- [[concepts/a]]\r\n" in files["knowledge/concepts/c.md"]
    assert files["knowledge/concepts/full.md"].count(b"\n- [[") == 12, "as many as it may have"
    assert b"gone" not in files["knowledge/index.md"]
    labels = [path.read_text() for path in (state_of(place.vault) / "journal").rglob("COMMIT")]
    assert sum('"lint"' in text for text in labels) == 1
    place.run("lint", "--structural-only", "--fix")
    assert place.files()["knowledge/log.md"].count(b"| Mended") == 1


def test_fix_puts_aside_what_a_person_wrote_into_the_index_besides(filled):
    index = filled.vault / "knowledge" / "index.md"
    index.write_text(index.read_text() + "\nA thought of mine.\n")
    assert found(filled) == {("index", "knowledge/index.md")}
    filled.run("lint", "--structural-only", "--fix")
    (aside,) = filled.work.vault.journal.conflicts()
    assert "A thought of mine." in aside.read_text()
    assert found(filled) == set()


def test_fix_leaves_a_person_s_article_theirs(filled):
    (mine, *_) = (filled.vault / "knowledge" / "concepts").glob("*.md")
    mine.write_text(mine.read_text(encoding="utf-8") + "\nMy words.\n", encoding="utf-8")
    put(filled, "concepts/other", article(f"[[{mine.stem}]]", "Other"))
    filled.run("lint", "--structural-only", "--fix")
    assert "[[concepts/other]]" in mine.read_text(encoding="utf-8")
    assert "My words." in mine.read_text(encoding="utf-8")
    written = filled.work.vault.history().written[f"concepts/{mine.stem}"]
    assert written != filled.work.vault.articles.sha(f"concepts/{mine.stem}")


# -- Contradictions -------------------------------------------------------------------------------


def test_a_model_names_the_lines_that_contradict_each_other(place):
    pair(place)
    items = [("L2", "L4"), ("L4", "L2"), ("L2", "L99"), ("L2", "L2")]
    said = [{"one": one, "other": other, "why": "Cached or not."} for one, other in items]
    value = place.json("lint", "--engine", script(place, {"contradictions": said}))
    (flaw,) = value["findings"]
    assert (flaw["check"], flaw["severity"]) == ("contradictions", "warning")
    assert flaw["path"] == "knowledge/concepts/a.md"
    assert flaw["message"] == (
        '"The search results are cached by the gateway." - concepts/b, line 14, says otherwise: '
        '"The search results are not cached." (Cached or not.)'
    )
    assert value["engine"] == "scripted"
    log = (place.vault / "knowledge" / "log.md").read_text()
    assert "Engine: scripted" in log
    assert place.json("lint", "--engine", script(place, {"contradictions": []}))["findings"] == []


def test_a_model_sees_the_lines_without_secrets(place, monkeypatch):
    key = "sk-ant-" + "api03-" + "Zq7" * 31
    pair(place)
    for name in "ab":
        path = place.vault / "knowledge" / "concepts" / f"{name}.md"
        path.write_text(path.read_text().replace("search results", f"search results of {key}"))
    model = ScriptedModel([{"contradictions": [{"one": "L2", "other": "L4", "why": "x"}]}])
    monkeypatch.setattr(Workspace, "model", lambda *_: model)
    outcome = lint_vault(place.work, structural=False)
    (request,) = model.requests
    assert (request.task, request.schema["required"]) == ("lint", ["contradictions"])
    assert "\nL2| The search results" in request.prompt
    assert "are not cached." in request.prompt
    assert key not in request.prompt + str(request.material)
    assert [flaw.path for flaw in outcome.findings] == ["knowledge/concepts/a.md"]
    assert key not in outcome.findings[0].message
    assert [record["input"] for record in place.ledger("call")][-1] == 1


@pytest.mark.parametrize("answers", [[], [{"contradictions": "x"}]])
def test_without_an_answer_the_rest_is_told_all_the_same(place, answers):
    pair(place)
    put(place, "concepts/c", article("[[concepts/a]] [[concepts/b]]", "C"))
    code, out, err = place.run("lint", "--engine", script(place, *answers), "--json")
    value = json.loads(out)
    assert code == 4
    assert "contradictions were not looked for" in err
    assert value["failed"]
    assert "orphan-pages" in {one["check"] for one in value["findings"]}
    assert "not looked for" in (place.vault / value["report"]).read_text()


# -- A vault that another program half wrote ------------------------------------------------------


def test_a_wild_vault_is_checked_to_its_end(place):
    folder = place.vault / "knowledge" / "concepts"
    folder.mkdir()
    (folder / "latin.md").write_bytes(b"---\ntitle: caf\xe9\n---\n")
    (folder / "big.md").write_text(article("x " * 600_000, "Big"))
    (folder / "half.md").write_text("---\ntitle: x\n")
    (folder / "empty.md").write_text("")
    (folder / "circle").symlink_to(folder, target_is_directory=True)
    (folder / f"{'n' * 252}.md").write_text(article("[[gone]]", "Long"))
    (place.vault / "daily" / "2026-03-04.md").write_bytes(b"\xff\xfe")
    (place.vault / "knowledge" / "index.md").write_bytes(b"\x00\xff")
    code, out, _ = place.run("lint", "--structural-only", "--json")
    checks = [(one["check"], one["path"].rsplit("/", 1)[-1]) for one in json.loads(out)["findings"]]
    assert code == 1
    for name in ("latin.md", "big.md", "half.md", "empty.md", "2026-03-04.md", "index.md"):
        assert ("unreadable", name) in checks
    assert ("broken-links", f"{'n' * 252}.md") in checks


def test_without_a_schema_it_says_what_mends_it(place):
    (place.vault / "AGENTS.md").unlink()
    code, _, err = place.run("lint", "--structural-only")
    assert code == 3
    assert "memoria init" in err


def test_what_a_lint_had_no_request_left_for_comes_first_in_the_next(place):
    folder = place.vault / "knowledge/concepts"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(24):
        project = f"p{number // 2:02d}"
        (folder / f"{project}-{number % 2}.md").write_text(
            f"---\ntitle: Lease {number}\nprojects: [{project}]\n---\n\n# Lease {number}\n\n"
            f"## Key Points\n\n- A lease lasts {number} minutes.\n"
        )
    one = {"contradictions": [{"one": "L1", "other": "L2", "why": "Two lengths."}]}
    engine = script(place, one, *[{"contradictions": []}] * 9)
    first = []
    for _ in range(2):
        told = place.json("lint", "--engine", engine)
        first += [row["path"] for row in told["findings"] if row["check"] == "contradictions"]
    assert first == ["knowledge/concepts/p00-0.md", "knowledge/concepts/p10-0.md"]
    script(place, *[{"contradictions": []}] * 10)
    code, _, err = place.run("lint", "--engine", engine)
    assert (code, "of 12 parts only 10 were looked through" in err) == (0, True)
