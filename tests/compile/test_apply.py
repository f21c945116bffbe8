import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import example, given, strategies as st
from notes import (
    SCHEMA,
    active,
    change,
    changes,
    context,
    entry,
    entry as entry_of,
    hostile,
    section,
)

from memoria.compile.amend import (
    find_statements,
    line_id,
    says,
    split_line_sentences as sentences_of,
    without_repeats,
)
from memoria.compile.apply import MAX_BACKLINKS, apply_patch
from memoria.compile.patch import (
    Patch,
    PatchLine,
    RelatedArticle,
    RetiredLine,
    Section,
    check_patch,
)
from memoria.text.markdown import find_wikilinks, make_inert
from memoria.vault.article import parse_article, render_article

E1, E2 = "e-000000000001", "e-000000000002"
FIRST = change(
    title="Session tokens",
    lead="Session tokens are compared in UTC. They expire after an hour.",
    sections=(
        section("Gotchas and Causes", "Local clocks differ."),
        section("Key Points", "Expiry is stored in UTC.", "Tokens expire after an hour."),
        section("Details", "A line.", prose="Some prose.\n\nAnd more."),
    ),
    aliases=("tokens",),
    tags=("Auth", "2026", "c++ code"),
    key="term:session token",
)
TEXT = """\
---
title: "Session tokens"
aliases: [tokens]
tags: [auth, c-code]
sources:
  - "daily/2026-04-01.md"
projects:
  - "github.com/ana/shop"
key: "term:session token"
created: 2026-04-01
updated: 2026-04-01
---

# Session tokens

Session tokens are compared in UTC. They expire after an hour.

## Key Points

- Expiry is stored in UTC. ([[daily/2026-04-01#^e-000000000001]])
- Tokens expire after an hour. ([[daily/2026-04-01#^e-000000000001]])

## Details

Some prose.

And more.

- A line. ([[daily/2026-04-01#^e-000000000001]])

## Gotchas and Causes

- Local clocks differ. ([[daily/2026-04-01#^e-000000000001]])

## Sources

- [[daily/2026-04-01#^e-000000000001]] - Session 1
"""


S1, S2 = f"[[daily/2026-04-01#^{E1}]]", f"[[daily/2026-04-02#^{E2}]]"
PATH, OLD = "concepts/tokens", line_id("Tokens expire after an hour.")


class Vault:
    """Articles as files, to which patches are applied; what is written is read again."""

    def __init__(self, *, owned=True, kinds=SCHEMA, entries=None):
        self.files = {}
        self.known = lambda _: False
        self.owned = owned
        self.kinds = kinds
        self.entries = entries

    def article(self, path):
        kind = self.kinds.kind_of(path)
        return parse_article(path, kind.name, self.files[path])

    @property
    def context(self):
        articles = map(self.article, self.files)
        made = context(articles, self.entries, owned=self.owned, kinds=self.kinds)
        return replace(made, known=self.known)

    def apply(self, *changes):
        """Apply what of a patch is taken; give what happened to which article."""
        checked = check_patch(Patch(changes), self.context)
        results = apply_patch(checked.patch, self.context)
        for article, _ in results:
            text = render_article(article)
            assert self.files.get(article.path) != text, "nothing changed"
            self.files[article.path] = text
            assert self.article(article.path) == replace(article, sha="")
        return {article.path: how for article, how in results}

    def edit(self, path, old, new):
        assert self.files[path].count(old) == 1
        self.files[path] = self.files[path].replace(old, new)

    @property
    def text(self):
        return self.files[PATH]

    @property
    def tokens(self):
        """Give the article that most tests change."""
        return self.article(PATH)

    def before(self):
        """Give the lines of it that no longer hold."""
        return self.tokens.section("Before the Change").strip().split("\n")


@pytest.fixture
def vault():
    made = Vault()
    assert made.apply(FIRST) == {PATH: "created"}
    return made


def test_a_new_article_and_the_same_patch_again_which_changes_nothing(vault):
    assert vault.files == {PATH: TEXT}
    assert vault.apply(FIRST) == {}
    vault.owned = False
    assert vault.apply(FIRST) == {}


def test_more_is_added_below_what_is_there(vault):
    more = change(
        lead="",
        sections=(
            section("Key Points", "expiry is  stored in UTC.", "A third.", of=E2),
            section("Decisions", "UTC everywhere.", of=""),
        ),
        entries=(E2, E1),
        aliases=("tokens", "session cookies"),
        tags=("auth", "time"),
    )
    assert vault.apply(more) == {PATH: "updated"}
    text, vault.files[PATH] = vault.text, TEXT
    for old, new in (
        ("aliases: [tokens]", 'aliases: [tokens, "session cookies"]'),
        ("tags: [auth, c-code]", "tags: [auth, c-code, time]"),
        ('04-01.md"\n', '04-01.md"\n  - "daily/2026-04-02.md"\n'),
        ("updated: 2026-04-01", "updated: 2026-04-02"),
        (f"hour. ({S1})\n", f"hour. ({S1})\n- A third. ({S2})\n"),
        ("## Gotchas", "## Decisions\n\n- UTC everywhere.\n\n## Gotchas"),
        ("Session 1\n", f"Session 1\n- {S2} - Session 2\n"),
    ):
        vault.edit(PATH, old, new)
    assert vault.text == text
    assert vault.apply(more) == {}


def test_prose_and_lead_are_replaced_where_they_are_said_again(vault):
    lead = "Since April session tokens are compared in UTC; they expire after an hour."
    better = change(lead=lead, sections=(section("Details", "B.", prose="Some more prose."),))
    assert vault.apply(better) == {PATH: "updated"}
    assert f"\n\n{lead}\n\n## Key Points" in vault.text
    # "And more." is said by none of the new sentences
    details = f"## Details\n\nAnd more.\n\nSome more prose.\n\n- A line. ({S1})\n- B. ("
    assert details in vault.text
    assert vault.apply(better) == {}


LATER = {"lead": "", "entries": (E2,)}


def test_a_new_lead_of_a_newer_entry_takes_the_place_of_the_old_one(vault):
    lead = "Session tokens are compared by a monotonic clock. They expire after an hour."
    assert vault.apply(change(lead=lead, entries=(E2,))) == {PATH: "updated"}
    assert vault.tokens.lead == lead
    then = "(until 2026-04-02, then: Session tokens are compared by a monotonic clock)"
    assert vault.before() == [f"- Session tokens are compared in UTC. {then} ({S2})"]
    # nor does the older entry bring its own back
    text = vault.text
    vault.apply(FIRST)
    assert vault.text == text


def test_a_new_lead_leaves_alone_what_has_no_place_of_its_own(vault):
    vault.edit(PATH, "They expire after an hour.", "They expire after an hour.\n\n> A quotation.")
    assert vault.apply(change(lead="Tokens are JWTs.", entries=(E2,))) == {PATH: "updated"}
    assert vault.tokens.lead == "> A quotation.\n\nTokens are JWTs."


def test_a_line_that_a_newer_entry_overrules_stands_below_what_was_before(vault):
    new = Section("Key Points", lines=(PatchLine("Tokens expire after 30 minutes.", E2, OLD),))
    over = RetiredLine(line_id("Local clocks differ."), E2)
    more = change(**LATER, sections=(new,), retired=(over, RetiredLine(line_id("And more"), E2)))
    assert vault.apply(more) == {PATH: "updated"}
    article = vault.tokens
    assert "an hour. ([[" not in article.section("Key Points")
    assert f"- Tokens expire after 30 minutes. ({S2})" in article.section("Key Points")
    assert "Gotchas and Causes" not in [name for name, _ in article.sections]
    assert article.section("Details").strip() == f"Some prose.\n\n- A line. ({S1})"
    then = "(until 2026-04-02, then: Tokens expire after 30 minutes)"
    assert vault.before() == [
        f"- Local clocks differ. (until 2026-04-02) ({S1}) ({S2})",
        f"- And more. (until 2026-04-02) ({S2})",
        f"- Tokens expire after an hour. {then} ({S1})",
    ]
    assert vault.apply(more) == {}
    # nor does the first entry bring back what was overruled
    assert vault.apply(FIRST) == {}


@pytest.mark.parametrize("entry", [E1, "e-000000000003"])
def test_only_a_newer_entry_overrules(vault, entry):
    vault.entries = [entry_of(1), entry_of(2, date(2026, 4, 2)), entry_of(3, date(2026, 3, 30))]
    new = Section("Key Points", lines=(PatchLine("Tokens expire after 30 minutes.", entry, OLD),))
    retired = (RetiredLine(OLD, entry),)
    vault.apply(change(lead="", entries=(entry,), sections=(new,), retired=retired))
    points = vault.tokens.section("Key Points")
    assert f"- Tokens expire after an hour. ({S1})" in points
    assert "30 minutes" in points
    assert vault.before() == [""]


def test_in_a_file_that_a_person_edited_only_known_lines_are_taken_out(vault):
    vault.edit(PATH, "Expiry is stored in UTC.", "Expiry is stored in local time.")
    vault.owned = False
    vault.known = lambda line: "after an hour" in line
    ids = ("Expiry is stored in local time.", "Tokens expire after an hour.", "Some prose.")
    retired = tuple(RetiredLine(line_id(text), E2) for text in ids)
    vault.apply(change(**LATER, retired=retired))
    assert f"- Expiry is stored in local time. ({S1})\n" in vault.text
    assert "\nSome prose.\n" in vault.text
    assert f"- Tokens expire after an hour. (until 2026-04-02) ({S1}) ({S2})\n" in vault.text


def test_what_a_model_says_again_of_the_same_entry_in_other_words_is_left_out(vault):
    again = change(
        lead="",
        sections=(
            section("Key Points", "After an hour tokens expire.", "Expiry in UTC is stored."),
            section("Details", "Tokens never expire after an hour.", "Tokens rotate."),
        ),
    )
    kept = without_repeats(again, "concepts/tokens", vault.context)
    # but what denies it is no repetition
    assert [[line.text for line in one.lines] for one in kept.sections] == [
        [],
        ["Tokens never expire after an hour.", "Tokens rotate."],
    ]


def test_prose_is_added_and_the_lead_kept_where_a_person_edited_the_file(vault):
    vault.edit(PATH, "Some prose.", "My own prose.")
    vault.owned = False
    before = vault.text
    better = change(lead="Better.", sections=(section("Details", "B.", prose="New prose."),))
    assert vault.apply(better) == {PATH: "updated"}
    assert f"My own prose.\n\nAnd more.\n\n- A line. ({S1})\n\nNew prose.\n" in vault.text
    assert "Better." not in vault.text
    assert {*before.split("\n")} <= {*vault.text.split("\n")}
    assert vault.apply(better) == {}


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("## Key Points", "## Key Points  "),
        lambda text: text.replace("- Expiry is stored", "* EXPIRY  is stored"),
        lambda text: text + "\n## Sources\n\n- twice\n",
        lambda text: text.replace("tags: [auth, c-code]", "tags: auth"),
        lambda text: text.replace('title: "Session tokens"\n', '"Title": x\n# comment\n'),
        lambda text: text.replace("# Session tokens\n", ""),
        lambda text: text + "\n```\nnever closed\n",
        lambda text: text.replace("## Details\n", "```\n## Details\n```\n"),
    ],
)
def test_a_file_that_a_person_reformatted_is_changed_once_and_loses_nothing(vault, edit):
    text = vault.files["concepts/tokens"] = edit(vault.files["concepts/tokens"])
    vault.owned = False
    more = change(
        lead="Ignored.",
        sections=(section("Key Points", "Expiry is stored in UTC.", "New.", of=E2),),
        entries=(E1, E2),
        tags=("auth", "c-code"),
    )
    vault.apply(more)
    new = vault.files["concepts/tokens"]
    held = new.replace("\r", "").split("\n")
    gone = [line for line in text.replace("\r", "").split("\n") if line not in held]
    # only keys of the frontmatter have other values
    assert all(line.startswith(("tags: auth", "updated: ")) for line in gone)
    assert new.count(f"- New. ({S2})") == 1
    assert ("\r\n" in text) == ("\r\n" in new)
    assert vault.apply(more) == {}


def test_links_go_both_ways():
    vault = Vault()
    vault.apply(change("clocks"), FIRST)
    words = ("compares with", "again")
    links = tuple(RelatedArticle("concepts/clocks", word) for word in words)
    one = change(lead="", related=links)
    assert vault.apply(one) == {PATH: "updated", "concepts/clocks": "linked"}
    assert "- [[concepts/clocks]] - compares with\n" in vault.text
    back = "- [[concepts/tokens]] - Tokens (its link to here: compares with)\n"
    assert back in vault.files["concepts/clocks"]
    assert "again" not in "".join(vault.files.values())
    assert vault.apply(one) == {}
    # a link that a person worded stays
    vault.edit("concepts/clocks", "]] - Tokens (its link to here: compares with)", "]] - my words")
    assert vault.apply(one) == {}
    # and those of one patch link to each other
    one = change("a", related=(RelatedArticle("concepts/b", "why"),))
    assert vault.apply(one, change("b")) == {"concepts/a": "created", "concepts/b": "created"}
    assert related(vault, "concepts/a") == ("concepts/b",)
    assert related(vault, "concepts/b") == ("concepts/a",)
    assert vault.apply(one, change("b")) == {}


def related(vault, path):
    return find_wikilinks(vault.article(path).section("Related Concepts"))


@pytest.mark.parametrize(
    ("text", "is_past"),
    [
        ("Tokens expire after an hour in all regions, and are renewed at half of it.", False),
        ("Tokens expire after an hour in all regions but one.", True),
        ("That tokens expire after an hour was wrong.", True),
    ],
)
def test_a_line_that_its_successor_says_with_more_was_never_otherwise(vault, text, is_past):
    vault.apply(
        change(**LATER, sections=(Section("Key Points", lines=(PatchLine(text, E2, OLD),)),))
    )
    assert (vault.before() != [""]) is is_past
    assert vault.tokens.section("Key Points").count("expire after an hour") == 1


def test_a_long_line_that_replaces_another_is_not_quoted_beside_it(vault):
    text = f"Tokens expire after 30 minutes, because {'the audit asks for it ' * 5}(a plan)."
    new = Section("Decisions", lines=(PatchLine(text, E2, OLD),))
    vault.apply(change(**LATER, sections=(new,)))
    assert vault.before() == [
        f"- Tokens expire after an hour. (until 2026-04-02, see Decisions) ({S1})"
    ]
    assert text in vault.tokens.section("Decisions")
    # and the entry that said it first does not bring it back
    assert vault.apply(FIRST) == {}


def test_a_hub_is_not_drowned_in_links_back():
    vault = Vault()
    vault.apply(change("hub"))
    link = (RelatedArticle("concepts/hub"),)
    many = [change(f"n{number:02}", related=link) for number in range(20)]
    vault.apply(*many)
    back = related(vault, "concepts/hub")
    assert len(back) == len(set(back)) == MAX_BACKLINKS
    assert vault.apply(*many) == {}


def test_a_rule_is_linked_to_but_has_no_place_for_a_link_back():
    vault = Vault()
    note = "---\nid: wf-0123456789\n---\n\n# Lint first\n"
    vault.files["rules/wf-0123456789"] = note
    vault.apply(change(related=(RelatedArticle("rules/wf-0123456789", "the rule"),)))
    assert "[[rules/wf-0123456789]] - the rule" in vault.text
    assert vault.files["rules/wf-0123456789"] == note


def test_a_connection():
    vault = Vault()
    vault.apply(change("a"), change("b"))
    one = change(
        "a-and-b",
        "They share a clock.",
        kind="connection",
        title="A and B",
        sections=(section("Evidence", "Both failed."), section("The Connection", prose="Time.")),
        connects=("concepts/a", "concepts/b"),
        related=(RelatedArticle("concepts/b", "reads it"),),
    )
    assert vault.apply(one) == {
        "connections/a-and-b": "created",
        "concepts/a": "linked",
        "concepts/b": "linked",
    }
    article = vault.article("connections/a-and-b")
    assert article.names("connects") == ("concepts/a", "concepts/b")
    assert [name for name, _ in article.sections] == [
        *("The Connection", "Evidence", "Related Concepts", "Sources")
    ]
    related = "\n- [[concepts/b]] - reads it\n- [[concepts/a]] - A\n\n"
    assert article.section("Related Concepts") == related
    assert "- [[connections/a-and-b]] - A and B\n" in vault.files["concepts/a"]
    back = "- [[connections/a-and-b]] - A and B (its link to here: reads it)\n"
    assert back in vault.files["concepts/b"]
    assert vault.apply(one) == {}


def test_two_changes_of_one_article_and_sections_of_one_heading_add_up():
    one = change(lead="First.", sections=(section("Details", "a", prose="One."),))
    two = change(lead="Second.", sections=(section("Details", "b", prose="Two."),))
    vault = Vault()
    assert vault.apply(one, two) == {PATH: "created"}
    assert all(words in vault.text for words in ("First.", "One.", "Two.", "- a (", "- b ("))
    assert vault.apply(one, two) == {}
    joined = replace(one, sections=(*one.sections, section("Key Points", "k"), *two.sections))
    vault = Vault()
    vault.apply(joined)
    assert vault.tokens.section("Details").startswith("\nOne.\n\nTwo.\n\n- a (")
    assert vault.apply(joined) == {}


def test_every_entry_is_a_source_with_its_title():
    days = [date(2026, 4, 3), date(2026, 4, 1), date(2026, 4, 1), date(2026, 4, 2)]
    entries = [entry(number, day) for number, day in enumerate(days, 1)]
    entries[3] = entry(4, days[3], title="[[x]] <b>")
    vault = Vault(entries=entries)
    one = change(entries=tuple(found.id for found in entries))
    vault.apply(one)
    article = vault.article("concepts/tokens")
    assert article.names("sources") == tuple(f"daily/2026-04-0{n}.md" for n in (1, 2, 3))
    assert article.section("Sources") == (
        "\n- [[daily/2026-04-01#^e-000000000002]] - Session 2\n"
        "- [[daily/2026-04-01#^e-000000000003]] - Session 3\n"
        "- [[daily/2026-04-02#^e-000000000004]] - x &lt;b>\n"
        "- [[daily/2026-04-03#^e-000000000001]] - Session 1\n"
    )
    assert (article.meta["created"], article.meta["updated"]) == (days[1], days[0])
    assert vault.apply(one) == {}


def test_entries_by_hand_are_sources_by_their_day():
    vault = Vault(entries=[replace(entry(number), id=f"h-{number}") for number in (1, 2)])
    vault.apply(change(entries=("h-1", "h-2"), sections=(section("Details", "A.", of="h-2"),)))
    sources = "\n- [[daily/2026-04-01]] - Session 1; Session 2\n"
    assert vault.tokens.section("Sources") == sources
    assert vault.tokens.section("Details").strip() == "- A. ([[daily/2026-04-01]])"


def test_a_source_that_the_engine_named_is_not_named_twice_and_an_empty_line_is_none():
    vault = Vault()
    lines = ("A fact. ([[daily/2026-04-01]])", "", " \n", "a")
    one = change(sections=(section("Key Points", *lines), section("Details", "")))
    vault.apply(one)
    assert vault.tokens.section("Key Points") == f"\n- A fact. ({S1})\n- a ({S1})\n\n"
    assert not vault.tokens.section("Details")
    assert vault.apply(one) == {}


def test_wikilinks_in_texts_live_only_where_they_lead_somewhere():
    vault = Vault()
    vault.apply(change("clocks"))
    words = "[[concepts/clocks]], [[concepts/b]], [[daily/2026-04-02]], [[gone]], ![[concepts/b]]"
    vault.apply(
        change("a", words, sections=(section("Details", words, prose=f"So {words}"),)), change("b")
    )
    text = vault.files["concepts/a"]
    kept = "[[concepts/clocks]], [[concepts/b]], [[daily/2026-04-02]], gone, concepts/b"
    assert text.count(kept) == 3


PROPOSED = changes(
    ["concept", "concept", "project", "connection"],
    ["a", "b"],
    ["Key Points", "Details", "Decisions", "State", "Evidence"],
    title=hostile.map(lambda text: text.strip()[:100] or "x"),
    lead=hostile.map(lambda text: text or "x"),
    entries=st.sampled_from([(E1,), (E2, E1)]),
    related=st.lists(
        st.builds(
            RelatedArticle, st.sampled_from(["concepts/a", "concepts/b", "projects/a"]), hostile
        ),
        max_size=2,
    ).map(tuple),
    connects=st.sampled_from([(), ("concepts/a", "concepts/b")]),
    key=hostile,
)
PROJECT = replace(change("a"), kind="project", sections=(), related=())


# the second change of a page that the first one makes needs no lead, as it does the next time
@example([PROJECT, replace(PROJECT, lead="```", related=(RelatedArticle("concepts/a"),))], True, "")
# a page that names the one that connects it still names the other that it connects
@example(
    [
        replace(PROJECT, connects=("concepts/a", "concepts/b"), key="0"),
        replace(PROJECT, kind="concept", related=(RelatedArticle("projects/a"),)),
    ],
    False,
    "",
)
@given(st.lists(PROPOSED, min_size=1, max_size=3), st.booleans(), st.sampled_from(["", "\r\n"]))
def test_whatever_is_proposed_is_inert_in_order_and_stable(proposed, owned, ends):
    vault = Vault()
    vault.apply(change("a"), change("b"))
    for path in vault.files:
        vault.files[path] += "\n## Mine\n\n- my line\n"
        vault.files[path] = vault.files[path].replace("\n", ends or "\n")
    vault.owned = owned
    vault.apply(*proposed)
    assert vault.apply(*proposed) == {}
    for path, text in vault.files.items():
        article = vault.article(path)
        assert not active(text.split("\n---", 1)[1])
        order = SCHEMA.kind_of(path).sections
        names = [name.strip() for name, _ in article.sections if name.strip() in order]
        assert names == sorted(names, key=order.index)
        assert len(names) == len(set(names))
        days = {source.removesuffix(".md") for source in article.names("sources")}
        assert set(find_wikilinks(article.section("Sources"))) == days
        assert all(path in related(vault, target) for target in related(vault, path))
        if path.startswith("concepts/"):
            assert "- my line" in text
            assert ("\r\n" in text) == bool(ends)


WORDS = ["tokens", "expire", "never", "hour", "UTC", "`ttl`", "42", "clocks", "drift", "not"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(
    lambda words: " ".join(words).capitalize() + "."
)


@st.composite
def updates(draw):
    """A change by the second entry that replaces, retires and rewrites at random."""
    named = st.sampled_from(["", "00000"]) | sentences.map(line_id)
    lines = st.builds(PatchLine, sentences, st.sampled_from([E1, E2]), named)
    found = [
        Section(heading, draw(st.just("") | sentences), tuple(draw(st.lists(lines, max_size=2))))
        for heading in draw(st.lists(st.sampled_from(["Key Points", "Details"]), max_size=2))
    ]
    retired = draw(st.lists(st.builds(RetiredLine, named, st.sampled_from([E1, E2])), max_size=2))
    lead = draw(st.just("") | sentences)
    return change(lead=lead, sections=tuple(found), entries=(E2,), retired=tuple(retired))


@st.composite
def articles(draw):
    """An article of the first entry: lead, prose and lines at random."""
    return change(
        lead=draw(sentences) + " " + draw(sentences),
        sections=tuple(
            Section(
                heading,
                draw(st.just("") | sentences),
                tuple(PatchLine(text, E1) for text in draw(st.lists(sentences, max_size=3))),
            )
            for heading in ("Key Points", "Details")
        ),
    )


# a line that the lead says, too, goes from both places at once
BOTH = change(lead="Tokens. Expire.", sections=(section("Details", "Expire."),))
GOES = change(lead="Tokens.", entries=(E2,), retired=(RetiredLine(line_id("Expire."), E2),))


@example(BOTH, GOES, True, "Tokens.")
@example(BOTH, replace(GOES, lead=""), True, "Tokens.")
@given(articles(), updates(), st.booleans(), sentences)
def test_no_patch_loses_what_was_not_retired_by_a_newer_entry(first, update, owned, mine):
    vault = Vault()
    vault.apply(first)
    path = PATH
    if not owned:
        details = f"## Details\n\n- {mine}\n\n"
        vault.files[path] = vault.text.replace("## Details\n\n", details)
        vault.known = lambda line: mine.rstrip(".") not in line
        vault.owned = False
    before = vault.article(path)
    person = [line for line in vault.files[path].split("\n") if line == f"- {mine}"]
    vault.apply(update)
    after = vault.article(path)
    text = " ".join(vault.files[path].split())
    # each statement stands, is said again, or stands below what was before
    for old in find_statements(before).values():
        words = old.text.removeprefix("- ").split(" ([[")[0]
        assert words in text or any(says(line, words) for line in _all_lines(after)), words
    taken = {one.line for one in update.retired if one.entry == E2}
    taken |= {one.replaces for part in update.sections for one in part.lines if one.entry == E2}
    if update.lead and owned:
        # a new lead stands in the place of the old one, never beside it
        old, new = ({*_lead_ids(article)} for article in (before, after))
        assert make_inert(update.lead) in after.lead
        assert old & new <= set(map(line_id, sentences_of(make_inert(update.lead))))
        taken |= old
    moved = after.section("Before the Change").strip().split("\n")
    for line in filter(None, moved):
        assert line_id(line.split(" (until ")[0]) in taken
        assert "(until 2026-04-02" in line
    for line in person:
        assert line in vault.files[path].split("\n")
    assert vault.apply(update) == {}
    # nor does the older entry bring back what the newer one overruled
    vault.apply(first)
    again = vault.article(path).section("Before the Change").strip().split("\n")
    assert again == moved
    for line in filter(None, moved):
        words = line.split(" (until ")[0]
        assert f"{words} ({S1})" not in vault.files[path]


def _lead_ids(article):
    return [name for name, one in find_statements(article).items() if not one.heading]


def _all_lines(article):
    bodies = [article.lead, *(body for _, body in article.sections)]
    # prose may say it in two paragraphs
    prose = (" ".join(re.findall(r"^(?!- ).+", body, re.MULTILINE)) for body in bodies)
    return [*prose, *(line for body in bodies for line in (body, *body.splitlines()))]
