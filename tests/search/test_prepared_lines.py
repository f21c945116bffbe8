from datetime import UTC, date, datetime, timedelta

import pytest

from memoria.search.cures.from_ledger import build_cures
from memoria.search.prepared_lines import find_recurring_errors, prepare_lines
from memoria.vault.article import parse_article
from memoria.vault.entry import Draft, Entry, Extract
from memoria.vault.storage.history import RecordedMistake
from memoria.vault.storage.ledger_records import NO_TURN, Mistake, Resolution
from memoria.vault.trust.known_lines import line_key

AT = datetime(2026, 3, 2, 10, 5, tzinfo=UTC)
DECISION = "Leases are renewed by the worker, since the queue restarts without warning."
LESSON = "A clock that runs ahead ends every lease early."
OPEN = "Which table holds the tills of last year?"
LEAD = "Leases are renewed by the worker that took them."
KNOWN = frozenset(map(line_key, ("Leases", "Tills", DECISION, LESSON, OPEN)))


def session(branch="ana/leases", number=1, title="Leases", checks=(), **more):
    fields = {"decisions": (DECISION,), "lessons": (LESSON,), "actions": (OPEN,)} | more
    draft = Draft(title, "", **fields)
    day = date(2026, 3, number)
    entry = Entry(f"e-{number:012x}", day, AT.replace(day=number), "p", f"s-{number}", "x", draft)
    files = ("src/lease.py", "odd`name")
    return entry, Extract(draft, (), (), branch=branch, files=files, checks=checks)


def told(*sessions, articles=(), known=KNOWN):
    return [(one.section, one.text) for one in prepare_lines(sessions, articles, known)]


def test_where_a_branch_stopped_what_is_open_and_what_was_decided():
    source = "([[daily/2026-03-01#^e-000000000001]])"
    found = told(session(checks=(("make lint", False), ("make test", True))))
    state = "failing at its end: `make lint`; files: `src/lease.py`"
    assert found == [
        ("stopped", f"- 2026-03-01: Leases; {state} {source}"),
        ("found", f"- 2026-03-01: {DECISION} {source}"),
        ("found", f"- 2026-03-01: {LESSON} {source}"),
        ("open", f"- 2026-03-01: {OPEN} {source}"),
    ]


def test_of_a_finding_that_the_title_begins_what_is_new_is_told():
    title, fix = "The clock runs ahead", "Leases end by the server's clock now."
    one = session(title=title, decisions=(), lessons=(f"{title}. {fix}",))
    found = told(one, known=frozenset({*KNOWN, line_key(title), line_key(f"{title}. {fix}")}))
    assert found[1] == ("found", f"- 2026-03-01: {fix} ([[daily/2026-03-01#^e-000000000001]])")
    assert title in found[0][1]


def test_of_the_trunk_only_what_is_unfinished_is_told():
    source = "([[daily/2026-03-01#^e-000000000001]])"
    left = ("open", f"- 2026-03-01: {OPEN} {source}")
    assert told(session("main")) == [left]
    failing = told(session("main", checks=(("make lint", False),)))
    assert [section for section, _ in failing] == ["stopped", "open"]
    assert "failing at its end: `make lint`" in failing[0][1]


def test_what_is_on_no_branch_and_what_this_machine_does_not_know_tell_nothing():
    assert told(session("")) == []
    assert told(session(), known=frozenset()) == []
    assert told((session()[0], None)) == []


def test_the_latest_session_of_each_branch_counts_and_nothing_is_said_twice():
    late, early = session(number=3, title="Tills"), session(number=1)
    found = told(late, session("ana/other", number=2), early)
    stopped = [text.split(";")[0] for section, text in found if section == "stopped"]
    assert stopped == ["- 2026-03-03: Tills", "- 2026-03-02: Leases"]
    assert sum(DECISION in text for _, text in found) == 2  # once for each branch


def test_a_page_is_named_that_has_most_of_what_the_branch_left():
    def page(entry):
        body = f"## Decisions\n\n- {DECISION} ([[daily/2026-03-01#^{entry}]])\n"
        text = f'---\ntitle: "Leases"\n---\n\n# Leases\n\n{LEAD}\n\n{body}'
        return parse_article("concepts/leases", "concept", text)

    ours, other = page("e-000000000001"), page("e-00000000000f")
    known = KNOWN | {line_key("concepts/leases"), line_key(LEAD)}
    found = told(session(), articles=[ours, other], known=known)
    assert found[-1] == ("pages", f"- [[knowledge/concepts/leases]]: {LEAD}")
    assert [section for section, _ in found].count("pages") == 1
    assert "pages" not in [section for section, _ in told(session(), articles=[ours])]


RULE = "shell lint:errcheck Error return value of <q> is not checked"


def failure(
    number, mark=RULE, line="Error return value of `f` is not checked", change="- f()\n+ g()"
):
    at = AT + timedelta(days=number)
    end = Resolution("edit", change, at, "a.go")
    kind = mark.split()[1]
    mistake = Mistake(mark, "shell", kind, line, "c", NO_TURN, at, end, "make lint")
    return RecordedMistake(mistake, f"s-{number}", "p")


def recur(*mistakes, sessions=9):
    branches = ("ana/leases", "ana/tills", "ana/tills", "HEAD")
    entries = [session(branch, number) for number, branch in enumerate(branches, 1)]
    return list(find_recurring_errors(mistakes, build_cures(mistakes, {}), "p", sessions, entries))


def again(*mistakes, sessions=9):
    return [one.text for one in recur(*mistakes, sessions=sessions)]


def test_what_keeps_going_wrong_is_told_with_what_fixed_it_last():
    often = [failure(1), failure(2), failure(3, change="- h()\n- i()\n+ j()\n+ k()")]
    (text,) = again(*often)
    assert text == (
        "- `errcheck: Error return value of … is not checked`: in 3 sessions, the last on "
        "2026-03-05; passed after an edit of `a.go`: `- h()` `+ j()`"
    )
    assert again(*often[:2]) == []
    assert again(*often, sessions=40) == []  # less than one session in ten
    assert again(*(failure(n, change="") for n in (1, 2, 3))) == []


@pytest.mark.parametrize(
    ("words", "name"),
    [("Agents have to run it with sudo", "ValueError"), ("the lease is naive", None)],
)
def test_an_error_whose_words_order_is_told_by_its_name_alone(words, name):
    line = f"ValueError: {words}"
    mark = f"shell exception:ValueError {words}"
    (text,) = again(*(failure(n, mark, line) for n in (1, 2, 3)))
    assert text.startswith(f"- `{name or line}`: in 3 sessions")
    mark = f"shell other {words}"
    assert len(again(*(failure(n, mark, words) for n in (1, 2, 3)))) == (name is None)


def test_what_few_sessions_met_concerns_their_branches():
    often = [failure(number) for number in (1, 2, 3, 4)]
    assert [one.branch for one in recur(*often, sessions=12)] == [""]
    assert [one.branch for one in recur(*often, sessions=13)] == ["ana/leases", "ana/tills"]


def test_a_fix_is_not_cut_within_a_statement():
    often = [failure(1), failure(2), failure(3, change="- f()\n+ if err := f(); err != nil {")]
    assert again(*often)[0].endswith("`- f()` `+ g()`")
    assert again(*(failure(n, change="- f()\n+ if f() {") for n in (1, 2, 3))) == []


def test_an_error_that_is_no_linters_keeps_going_wrong_with_its_very_line():
    mark = "shell compile undefined: <name>"
    names = [f"a.go:{n}:2: undefined: setUp{name}" for n, name in enumerate(("A", "B", "C"))]
    assert again(*(failure(n, mark, name) for n, name in enumerate(names))) == []
    same = [failure(n, mark, f"a.go:{n}:2: undefined: setUp") for n in (1, 2, 3)]
    (text,) = again(*same)
    assert text.startswith("- `undefined: setUp`: in 3 sessions")
