from memoria.search.sources.report_lines import account

SOURCE = {
    "path": "daily/2026-04-01.md",
    "line": 5,
    "title": "Tokens",
    "day": "2026-04-01",
    "time": "10:00",
    "project": "",
    "session": "s-1",
    "transcript": "/t/s-1.jsonl",
    "exists": False,
    "sure": "likely",
    "words": "Tokens last an hour.",
    "turn": 2,
}


def told(**found):
    return "\n".join(account(found))


def test_a_line_with_its_source():
    text = told(
        kind="concept", path="knowledge/concepts/x.md", title="X", line=7, text="An hour.",
        sources=[SOURCE], mistakes=[],
    )  # fmt: skip
    assert text == (
        "knowledge/concepts/x.md:7  X\n"
        '  "An hour."\n'
        "  daily/2026-04-01.md:5, Tokens (2026-04-01 10:00, turn 2, likely)\n"
        "    says: Tokens last an hour.\n"
        "    session s-1 of no project\n"
        "    transcript /t/s-1.jsonl (no longer there)"
    )


def test_a_line_without_one():
    text = told(kind="concept", path="x.md", title="X", line=7, text="Mine.", sources=[])
    assert text.endswith("no entry says this: a person wrote it, or its entry is gone")


def test_a_passage_with_its_question():
    source = SOURCE | {
        "exists": True,
        "sure": "exact",
        "at": "2026-04-01T10:00:00+00:00",
        "asked": "How long?",
        "who": "assistant",
        "passage": "An hour.",
    }
    text = told(kind="entry", path="x.md", title="X", line=None, text=None, sources=[source])
    assert "  asked: How long?\n    assistant: An hour." in text
    assert "(2026-04-01T10:00:00+00:00, turn 2, exact)" in text
    assert "no longer there" not in text
    assert "says:" not in text


def test_an_error_that_nothing_mended():
    mistake = {"error": "Boom", "count": 2, "sessions": 1, "resolutions": []}
    text = told(
        kind="concept", path="x.md", title="X", text="Boom", sources=[SOURCE], mistakes=[mistake]
    )
    assert text.endswith("this error came 2x in 1 sessions: Boom\n  it is not known what fixed it")


def test_a_rule_that_is_part_of_another():
    decision = {"at": "2026-04-02", "id": "wf-2", "status": "retired", "by": "review"}
    text = told(
        kind="rule", id="wf-1", text="Use tabs", in_force=False, why_not="it was retired",
        status="retired", scope=[], category="workflow", frequency=2, path=None, aliases=["Tabs"],
        evidence=[{"words": "Use tabs", "path": "rules/x", "note": "said at the terminal"}],
        decisions=[decision | {"into": "wf-1", "superseded_by": None}],
    )  # fmt: skip
    assert text == (
        "wf-1  Use tabs\n"
        "  retired, not used: it was retired\n"
        "  workflow, seen 2x, holds in every project\n"
        "  also: Tabs\n"
        'said: "Use tabs"\n'
        "  rules/x: said at the terminal\n"
        "decided: 2026-04-02 retired by review, part of wf-1 (wf-2)"
    )
