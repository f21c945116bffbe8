from datetime import date

import ruled
from cases import cased
from hypothesis import given, strategies as st

from memoria.rules.insights.notebook import Pattern
from memoria.rules.model import rule_id
from memoria.rules.skills import build_skills, gather_wordings, tags

TODAY = date(2026, 4, 20)
RUN, ALWAYS = "Run tests before committing", "Always run the test suite before commit"


def pattern(insight=RUN, name="auth", day=1, **fields):
    values = {"origin": "written", "entry": "", "category": "workflow"} | fields
    origin, entry, category = values["origin"], values["entry"], values["category"]
    when = date(2026, 4, day)
    source = f"{when}-{name}.md" if origin == "written" else f"{when}.md"
    return Pattern(insight, category, source, when, name, origin, entry or source, "")


def noted(text=RUN, **fields):
    known = {"status": "active", "sessions": ("s-1",), "path": "rules/x", "scope": ()}
    known |= {"quotes": (), "sources": (), "created": "2026-04-01", "updated": "2026-04-01"}
    return ruled.made(text, **known | fields)


def made(rules, patterns, groups=None, today=TODAY):
    gathered = gather_wordings(rules, patterns)
    together = groups or [[at] for at in range(len(gathered))]
    return build_skills(gathered, together, today)


def test_an_id_stays_when_later_and_shorter_words_come():
    (first,) = made((), [pattern(ALWAYS, day=2)])
    (again,) = made((), [pattern(ALWAYS, day=2), pattern(RUN, day=5)], [[0, 1]])
    assert (again.id, again.text, again.aliases) == (first.id, ALWAYS, (RUN,))


def test_a_copy_of_an_entry_counts_once():
    copies = [pattern(name=name, entry="2026-04-01-auth.md") for name in ("auth", "b", "c")]
    (one,) = made((), copies)
    assert (one.frequency, one.confidence) == (1, "low")
    assert len(one.sources) == 3


@cased()
def test_confidence_is_frequency_and_recency(sessions, day, rated):
    found = [pattern(name=f"e{n}", day=day) for n in range(sessions)]
    today = date(2026, 5, 10)
    assert made((), found, today=today)[0].confidence == rated


def test_a_line_that_says_the_opposite_of_a_rule_is_no_sighting_of_it():
    lines = [pattern(f"Never {RUN.lower()}", "a"), pattern(f"{RUN}, it saves time", "b")]
    found = {one.text: one.frequency for one in made([noted()], lines)}
    assert found == {RUN: 2, f"Never {RUN.lower()}": 1}


def test_a_note_keeps_its_id_words_and_status():
    (one,) = made([noted(ALWAYS)], [pattern(RUN)], [[0, 1]])
    assert (one.id, one.text, one.status) == (rule_id("workflow", ALWAYS), ALWAYS, "active")
    assert (one.frequency, one.aliases, one.path) == (2, (RUN,), "rules/x")
    # a session that is in the note already is not counted again
    said = pattern(ALWAYS, origin="captured", entry="s-1")
    assert made([noted(ALWAYS)], [said])[0].frequency == 1


def test_words_that_a_note_knows_are_that_rule():
    (one,) = made([noted(aliases=(ALWAYS,))], [pattern(ALWAYS)])
    assert (one.text, one.frequency) == (RUN, 2)


def test_a_line_with_a_rule_s_words_and_their_reason_is_that_rule():
    (skill,) = made([noted(ALWAYS)], [pattern(f"User: {ALWAYS}, because CI is slow")])
    assert (skill.text, skill.frequency) == (ALWAYS, 2)


words = st.sampled_from([RUN, ALWAYS, RUN.upper(), "Use pnpm", "", "..."])


@given(st.lists(st.tuples(words, st.integers(1, 9)), max_size=8))
def test_every_wording_is_in_exactly_one_skill(said):
    patterns = [pattern(text, f"e{n}", day) for n, (text, day) in enumerate(said)]
    found = made((), patterns)
    gathered = [name.lower().strip(" .") for one in found for name in (one.text, *one.aliases)]
    assert sorted(gathered) == sorted({text.lower() for text, _ in said if text.strip(" .")})


@cased()
def test_tags(text, found):
    assert tags(text) == found
