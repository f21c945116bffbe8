import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import DAY, active, hostile

from memoria.capture.extract.user.statements import FOUND
from memoria.rules import stated_rules as sightings
from memoria.rules.guards.check import check_to_json
from memoria.rules.guards.from_text import derive_check
from memoria.rules.learn import Alike, learn_at_flush
from memoria.rules.merge import groups
from memoria.rules.merge.groups import Index
from memoria.rules.model import (
    PREFIX,
    Approval,
    as_approved,
    in_force,
    read_rule,
    read_rules,
    rule_id,
)
from memoria.rules.sightings import Sighting
from memoria.rules.stated_rules import NoteOrigins, add_sightings, is_wording_of
from memoria.vault.article import parse_article, render_article, with_meta, with_title
from memoria.vault.entry import Statement

ALWAYS = "Always run the linter before you commit"
FORCE = "Never push with --force"
SHOP, TILL = "github.com/ana/shop", "github.com/ana/till"


def said(text=ALWAYS, quote="", *, standing=True, score=0.9, category="workflow"):
    return Statement(text, quote or text, category, standing, score)


def seen(statement=None, session="s-1", project=SHOP, day=DAY):
    return Sighting(statement or said(), day, project, session, f"e-{session}")


def once(*sightings, notes=()):
    """Learn from sightings; give the notes as they are read again from their files."""
    found = add_sightings({note.path: note for note in notes}, sightings)
    for one in found:
        again = parse_article(one.article.path, "rule", render_article(one.article))
        assert again == replace(one.article, sha="")
        assert read_rule(again) == one.rule
    return found


def one_of(*sightings, notes=()):
    (found,) = once(*sightings, notes=notes)
    return found


def test_a_check_that_an_engine_proposed_comes_first():
    own = {"occasion": {"command": ["git push"]}, "broken": {"with": ["--mirror"]}}
    for proposed, check in ((json.dumps(own), own), ("{", check_to_json(derive_check(FORCE)))):
        new = replace(seen(said(FORCE)), check=proposed)
        assert check_to_json(one_of(new).rule.check) == check
        # the flush made the note before the compile proposed it
        earlier = one_of(seen(said(FORCE))).article
        later = add_sightings({earlier.path: earlier}, [new])
        assert [check_to_json(found.rule.check) for found in later] == [check] * (check == own)


def test_a_rule_s_note():
    """How a note is written stands in tests/golden/samples/knowledge/rules."""
    found = one_of(seen())
    # its words ask for a check, which is proposed with it
    # (tests/rules/guards/test_from_text.py)
    assert found.rule.check == derive_check(ALWAYS)
    assert (found.rule.text, found.rule.scope, found.rule.sessions) == (ALWAYS, (SHOP,), ("s-1",))
    assert found.rule.quotes == (f'- "{ALWAYS}" ([[daily/2026-04-01]])',)
    assert found.article.path == "rules/always-run-the-linter-before-you-commit"
    assert found.is_approved


@cased()
def test_what_comes_in_force_without_a_review(standing, above, sessions, status):
    statement = said(standing=standing, score=FOUND + above)
    found = one_of(*(seen(statement, session=name) for name in sessions))
    assert found.rule.status == status
    assert found.is_approved is (status == "active")
    assert found.rule.frequency == len(set(sessions))


@cased()
def test_only_the_user_s_own_words_come_in_force_by_themselves(text, quote, own):
    statement = said(text, quote, score=0.95)
    found = one_of(seen(statement, "a"), seen(statement, "b"))
    assert (found.rule.status == "active") is own
    assert found.is_approved is own
    # what waits for a review has counted no session that said it
    assert found.rule.frequency == (2 if own else 1)


@cased()
def test_what_a_person_put_out_of_force_stays_out(status):
    first = one_of(seen())
    note = with_meta(first.article, {"status": status})
    again = one_of(seen(session="b"), seen(session="c"), notes=[note])
    assert again.article.meta["status"] == status
    assert not again.is_approved
    assert in_force([again.rule], {again.rule.id: Approval.of(again.rule)}, SHOP) == ()


def test_a_status_written_into_the_note_approves_nothing():
    weak = said(standing=False, score=0.5)
    own = {"status": "active", "pinned": True, "sessions": [], "frequency": 9}
    note = with_meta(one_of(seen(weak)).article, own)
    again = one_of(seen(weak, session="b"), notes=[note])
    assert not again.is_approved
    assert in_force([again.rule], {}, SHOP) == ()


def test_a_text_that_somebody_changed_is_not_approved_by_the_next_sighting():
    first = one_of(seen(said("never use --force")))
    path, text = first.article.path, render_article(first.article)
    # the same words to `normal`, others to a shell
    changed = parse_article(path, "rule", text.replace("# never use --force", "# Never use; force"))
    again = one_of(seen(said("never use --force"), session="b"), notes=[changed])
    assert again.rule.text == "Never use; force"
    assert not again.is_approved


def test_a_person_may_reword_a_rule_and_it_is_still_the_same():
    first = one_of(seen())
    mine = render_article(first.article).replace(
        f"# {ALWAYS}", "# Lint before every commit, please"
    )
    note = parse_article(first.article.path, "rule", mine)
    again = one_of(seen(session="b"), notes=[note])
    assert again.rule.id == first.rule.id
    assert again.rule.text == "Lint before every commit, please"
    assert not again.is_approved
    assert in_force([again.rule], {first.rule.id: Approval.of(first.rule)}, SHOP) == ()
    # also where the title in the frontmatter was reworded with it
    note = with_meta(note, {"title": "Lint before every commit, please"})
    assert one_of(seen(session="b"), notes=[note]).article.path == note.path


def test_a_note_that_is_no_rule_any_more_is_left_alone():
    first = one_of(seen())
    note = with_meta(first.article, {"id": "mine"})
    assert read_rule(note) is None
    assert once(seen(session="b"), notes=[note]) == ()


def test_a_second_project_makes_a_rule_hold_everywhere():
    first = one_of(seen())
    assert first.rule.scope == (SHOP,)
    again = one_of(seen(session="b", project=TILL), notes=[first.article])
    assert again.rule.scope == (SHOP, TILL)
    everywhere = with_meta(first.article, {"scope": []})
    assert one_of(seen(session="b"), notes=[everywhere]).rule.scope == ()


@given(
    st.lists(
        st.builds(
            seen,
            st.builds(
                said,
                hostile,
                hostile,
                standing=st.booleans(),
                score=st.sampled_from([0.2, 0.9]),
                category=st.sampled_from(list(PREFIX)),
            ),
            st.sampled_from("abc"),
            st.sampled_from([SHOP, TILL]),
        ),
        max_size=5,
    )
)
def test_learning_twice_changes_nothing_and_no_words_do_harm(sightings):
    first = once(*sightings)
    notes = [one.article for one in first]
    assert len({note.path for note in notes}) == len(notes)
    assert once(*sightings, notes=notes) == ()
    for one in first:
        assert not active(render_article(one.article).split("---\n", 2)[2])
        assert one.is_approved <= (one.rule.status == "active")


def _alike(*pairs):
    def same(text, known):
        return next((path for path, title in known.items() if {title, text} in pairs), "")

    return same


FIRST, OTHER = "Lint before each commit", "Always run the linter before committing"


def test_another_wording_joins_a_rule_and_is_counted():
    alike = _alike({FIRST, OTHER})
    first = one_of(seen(said(FIRST, standing=False, score=0.5)))
    notes = {first.article.path: first.article}
    assert first.rule.status == "waiting"
    (found,) = add_sightings(notes, [seen(said(OTHER), "b")], alike=alike)
    # in force in the words that this machine has just seen; the id stays
    assert (found.rule.id, found.rule.text) == (first.rule.id, OTHER)
    assert found.rule.aliases == (FIRST,)
    assert (found.rule.frequency, found.rule.status) == (2, "active")
    assert found.is_approved
    assert len(found.rule.quotes) == 2
    notes = {found.article.path: found.article}
    assert add_sightings(notes, [seen(said(OTHER), "b")], alike=alike) == ()


def test_a_wording_of_a_rule_in_force_changes_no_word_of_it():
    alike = _alike({ALWAYS, OTHER})
    first = one_of(seen())
    notes = {first.article.path: first.article}
    (found,) = add_sightings(notes, [seen(said(OTHER), "b")], alike=alike)
    assert found.rule.text == ALWAYS
    assert found.rule.aliases == (OTHER,)
    assert not found.is_approved
    assert in_force([found.rule], {first.rule.id: Approval.of(first.rule)}, SHOP)


def test_a_model_s_wording_neither_joins_nor_is_joined():
    alike = _alike({ALWAYS, OTHER})
    # the model's words of what was said: no session has said them
    first = one_of(seen(said(OTHER, "please keep it clean", score=0.95)))
    assert first.rule.sessions == ()
    found = add_sightings({first.article.path: first.article}, [seen(said(), "b")], alike=alike)
    assert [one.article.path == first.article.path for one in found] == [False]
    mine = one_of(seen())
    joined = seen(said(OTHER, "please keep it clean", score=0.95), "b")
    found = add_sightings({mine.article.path: mine.article}, [joined], alike=alike)
    assert [one.article.path == mine.article.path for one in found] == [False]
    assert not found[0].is_approved


def test_a_title_that_a_person_changed_stays():
    alike = _alike({"Lint, then commit", OTHER})
    first = one_of(seen(said(FIRST, standing=False, score=0.5)))
    note = with_title(first.article, "Lint, then commit")
    (found,) = add_sightings({note.path: note}, [seen(said(OTHER), "b")], alike=alike)
    assert found.rule.text == "Lint, then commit"
    assert found.rule.aliases == (OTHER,)
    assert not found.is_approved


@pytest.mark.parametrize(
    "claims",
    [
        {"aliases": [ALWAYS], "sessions": ["s-old"]},
        {"aliases": [ALWAYS], "status": "rejected"},
        {"id": rule_id("workflow", ALWAYS)},
        {"id": rule_id("workflow", ALWAYS), "title": ALWAYS},
        {"heading": ALWAYS.replace(" run ", ": run ")},
        {"heading": "Always run the linter before you commit it", "sessions": ["s-old"]},
        {"heading": ALWAYS, "scope": []},
        {"heading": ALWAYS, "scope": [TILL], "pinned": True},
        {"id": "none"},
    ],
)
def test_a_note_from_elsewhere_keeps_no_statement_from_coming_in_force(claims):
    meta = {"title": "Skip slow tests", "id": "wf-0123456789", "status": "waiting"}
    meta |= {"sessions": [], "scope": []} | claims
    heading = meta.pop("heading", "Skip slow tests")
    path = one_of(seen()).article.path
    note = with_title(with_meta(one_of(seen(said(FORCE))).article, meta), heading)
    notes = {name: replace(note, path=name) for name in (path, "rules/a", f"{path}-60ceb8")}
    origins = NoteOrigins({})
    (found,) = add_sightings(notes, [seen()], alike=Alike(), origins=origins)
    approved = Approval.of(replace(found.rule, scope=found.approved_scope, pinned=False))
    book = read_rules((notes | {found.article.path: found.article}).values())
    approvals = {found.rule.id: approved}
    (rule,) = in_force(as_approved(book, approvals), approvals, SHOP)
    assert (rule.text, rule.scope, rule.pinned) == (ALWAYS, (SHOP,), False)
    # said again it is found there
    notes[found.article.path] = found.article
    origins = NoteOrigins({found.article.path: found.article.sha}, {}, [found.rule.id])
    (again,) = add_sightings(notes, [seen(session="b")], alike=Alike(), origins=origins)
    assert again.article.path == found.article.path


@cased()
def test_a_wording_has_to_say_what_its_quote_says(text, quote, can):
    assert is_wording_of(text, quote) == can


def test_stated_rules_of_one_shape_are_not_held_against_each_other(monkeypatch):
    """A thousand insights of an entry took minutes: each was compared with all notes' evidence."""
    counts = Counter()
    monkeypatch.setattr(sightings, "parse_quote", counted(counts, "quotes", sightings.parse_quote))
    monkeypatch.setattr(groups, "veto", counted(counts, "vetoes", groups.veto))
    monkeypatch.setattr(Index, "add", counted(counts, "filed", Index.add))
    texts = [f"Keep the staging backups for {days} days" for days in range(2, 202)]
    found = add_sightings({}, [seen(said(text)) for text in texts], alike=Alike())
    assert len(found) == 200
    # again, in other words of the same quotes: a handful of notes each
    notes = {one.article.path: one.article for one in found}
    again = [seen(said(f"Please always {text.lower()}", text)) for text in texts]
    assert len(add_sightings(notes, again, alike=Alike())) <= 200
    assert max(counts.values()) < 2_000, counts


def counted(counts, name, call):
    def wrapped(*given):
        counts[name] += 1
        return call(*given)

    return wrapped


def test_two_rules_that_begin_alike_have_two_notes():
    one, other = "Use pnpm " + "x" * 70, "Use pnpm " + "y" * 70
    found = once(seen(said(one)), seen(said(other)))
    assert len({learned.article.path for learned in found}) == 2
    taken = add_sightings({}, [seen()], used=["rules/always-run-the-linter-before-you-commit"])
    assert taken[0].article.path.startswith("rules/always-run-the-linter-before-you-commit-")


def test_frequency_counts_sessions_and_not_mentions():
    sightings = [seen(session=name) for name in ("a", "b", "a", "c", "c")]
    found = one_of(*sightings)
    assert (found.rule.frequency, found.rule.confidence) == (3, "high")
    for count, confidence in ((1, "low"), (2, "medium")):
        assert one_of(*sightings[:count]).rule.confidence == confidence
    assert once(*sightings, notes=[found.article]) == ()
    more = one_of(seen(session="d"), notes=[found.article])
    assert more.rule.frequency == 4
    assert more.article.section("Evidence").count("- ") == 1


# -- Into a vault, with what this machine approved -------------------------------------------------

ENTRY = "e-0f3a12bc34de"
CAPTURED = datetime(2026, 9, 1, tzinfo=UTC)  # sessions can be captured long after their day
NOT = "Never run the linter before you commit"


@pytest.fixture
def flush(place):
    """Learn from statements of one entry, as its flush does; give the status by text."""
    place.run("init")

    def learn(*statements, session="s-1", day=DAY):
        vault = place.work.vault
        seen_here = [Sighting(one, day, SHOP, session, ENTRY) for one in statements]
        with vault.open_transaction() as change:
            quotes = {ENTRY: [one.quote for one in statements]}
            learn_at_flush(vault, seen_here, change, CAPTURED, quotes)
        rules = place.json("rules")["rules"]
        return {rule["rule"]: "in force" if rule["in_force"] else rule["status"] for rule in rules}

    return learn


@pytest.mark.parametrize(("first", "last"), [(ALWAYS, NOT), (NOT, ALWAYS)])
def test_of_two_opposites_of_one_session_the_later_is_in_force(flush, first, last):
    assert flush(said(first), said(last)) == {first: "retired", last: "in force"}


@pytest.mark.parametrize("pulled_scope", [None, [], [TILL]])
def test_a_statement_of_one_project_retires_no_rule_of_all(flush, place, pulled_scope):
    flush()
    place.run("remember", ALWAYS, "--global")
    if pulled_scope is not None:
        note = with_meta(one_of(seen(said(NOT))).article, {"scope": pulled_scope})
        path = place.work.vault.knowledge / f"{note.path}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(render_article(note), encoding="utf-8")
    # after the day on which the other was taught
    said_now = flush(said(NOT), session="s-2", day=date(2030, 1, 1))
    assert said_now == {ALWAYS: "in force", NOT: "in force"}


def test_what_a_later_statement_overruled_holds_again_when_it_is_said_after_that(flush):
    flush(said())
    assert flush(said(NOT), session="s-2") == {ALWAYS: "retired", NOT: "in force"}
    # read once more, an old entry says nothing new
    assert flush(said()) == {ALWAYS: "retired", NOT: "in force"}
    assert flush(said(), session="s-3") == {ALWAYS: "in force", NOT: "retired"}


def test_a_rule_that_a_second_writing_quotes_otherwise_is_not_taken_back(flush):
    weak = said(standing=False, score=0.5)
    assert flush(weak) == {ALWAYS: "waiting"}
    assert flush(replace(weak, quote=f"{ALWAYS}. And fix the check.")) == {ALWAYS: "waiting"}
    assert flush(said(quote=f"From now on, {ALWAYS}")) == {ALWAYS: "in force"}
    assert flush(said(FORCE)) == {ALWAYS: "in force", FORCE: "in force"}


def test_a_statement_brings_a_reworded_rule_in_force_in_these_words(flush, place):
    flush(said(FORCE))
    (path,) = (place.vault / "knowledge/rules").glob("*.md")
    path.write_text(path.read_text().replace(f"# {FORCE}", f"# {ALWAYS}"))
    assert flush(said(), session="s-2") == {ALWAYS: "in force"}
