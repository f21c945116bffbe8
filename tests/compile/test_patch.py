from dataclasses import replace

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import MEANING, SCHEMA, change, changes, context, entry, hostile, section, with_recipes

from memoria.compile.amend import format_with_ids, line_id
from memoria.compile.patch import (
    MAX_ARTICLES,
    Patch,
    RelatedArticle,
    RetiredLine,
    RuleProposal,
    change_path,
    check_patch,
)
from memoria.vault.article import MADE, compose_article

E1 = "e-000000000001"


def note(path):
    return compose_article(path, "concept", {"title": path}, path, "A lead.")


def notes(*paths):
    """Make what a patch is checked against where these articles are there."""
    return context(map(note, paths))


def linked(*targets):
    return change(related=tuple(map(RelatedArticle, targets)))


def checked(*changes, rules=(), of=None):
    return check_patch(Patch(changes, rules), of or context())


def reason(one, of=None):
    """Give why a change is refused, "" where it is taken."""
    found = checked(one, of=of)
    if not found.refused:
        assert found.patch.articles == (one,)
        return ""
    assert found.patch.articles == ()
    (refused,) = found.refused
    return refused.reason


@pytest.mark.parametrize(
    "slug",
    ["a", "7", "a-b", "session-tokens", "0-0", "a--b", "x" * 80, "console", "com10", "nullable"],
)
def test_slugs_that_are_taken(slug):
    one = change(slug)
    assert reason(one) == ""
    assert change_path(one, SCHEMA) == f"concepts/{slug}"


@pytest.mark.parametrize(
    "slug",
    [
        *("", " ", ".", "..", "../x", "../../.claude/settings", "a/b", "/etc/passwd", "a\\b"),
        *("..\\x", "C:", "C:\\x", "a.md", "a.md:stream", "a:b", "%2e%2e", "%2e%2e%2fx", ".hidden"),
        *("~", "~root", "-a", "a-", "-", "a b", "a_b", "A", "Session", "a\n", "a\n\n", "\na"),
        *("a\0", "a\0.md", "\0", "é", "a\u0301", "\u0430", "\uff41", "\u2024", "a\u200b"),
        *("日本", "😀", "\u0131", "\u212a", "\u2028", "x" * 81, "x" * 4_000, "con", "prn", "aux"),
        *("nul", "com1", "com0", "lpt9", "CON", "$(id)", "`id`", "a;b", "a|b", "a*", "a?", '"'),
        *("'", "<a>", "[[a]]", "#a", "index.md"),
    ],
)  # fmt: skip
def test_slugs_that_are_refused(slug):
    assert "slug" in reason(change(slug))


@given(
    st.text(max_size=12)
    | st.lists(st.sampled_from([*MEANING, "..", "/", "\\", ".md", "con", "a"]), max_size=4).map(
        "".join
    ),
    st.sampled_from([kind.name for kind in SCHEMA.kinds]) | hostile,
)
def test_no_path_but_of_the_kind_s_folder_can_be_built(slug, kind):
    found = checked(replace(change(slug), kind=kind))
    for one in found.patch.articles:
        folder, name = change_path(one, SCHEMA).split("/")
        assert folder in {kind.folder for kind in SCHEMA.kinds}
        assert name == slug
        assert name.isascii()
        assert all(char.isalnum() or char == "-" for char in name)
        assert name == name.lower()
        assert 0 < len(name) <= 80


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"kind": "recipe"}, "kind 'recipe' is not one that a compile may write"),
        ({"kind": "../concept"}, "kind"),
        ({"kind": ""}, "kind"),
        ({"kind": "rule"}, "kind"),
        ({"kind": "qa"}, "kind"),
        ({"title": ""}, "title"),
        ({"title": " \n"}, "title"),
        ({"title": "x" * 121}, "title"),
        ({"lead": ""}, "a new article needs a lead"),
        ({"lead": "```\n```"}, "a new article needs a lead"),
        ({"entries": ()}, "names no entry"),
        ({"entries": ("e-ffffffffffff",)}, "unknown entry 'e-ffffffffffff'"),
        ({"entries": (E1, "")}, "unknown entry ''"),
        ({"sections": (section("Key Points", "x", of="e-f"),)}, "unknown entry 'e-f'"),
        ({"retired": (RetiredLine("abcde", "e-f"),)}, "unknown entry 'e-f'"),
        ({"lead": "x" * 6_001}, "over 6000"),
        ({"sections": (section("Details", prose="x" * 6_001),)}, "over 6000"),
        ({"sections": (section("Details", "x" * 601),)}, "over 600"),
        ({"sections": (section("Details", *["x"] * 81),)}, "over 80 lines"),
        ({"aliases": ("x" * 201,)}, "over 200"),
        ({"tags": ("x",) * 201}, "over 200 names"),
        ({"key": "x" * 201}, "over 200"),
    ],
)
def test_what_is_refused_and_why(more, told):
    assert told in reason(change(**more))


@cased()
def test_a_heading_that_the_kind_does_not_have_goes_to_the_details(heading):
    found = checked(change(sections=(section(heading, "x"),)))
    assert found == type(found)(Patch((change(sections=(section("Details", "x"),)),)), ())


def test_a_new_article_without_a_lead_begins_with_the_first_thing_that_it_says():
    bare = change(lead="", sections=(section("Key Points", "They expire.", "B."),))
    (found,) = checked(bare).patch.articles
    assert found == replace(bare, lead="Tokens: They expire.")
    # one that another change of the patch begins, or that is there, gets none
    assert checked(change(), bare).patch.articles == (change(), bare)
    assert checked(bare, of=notes("concepts/tokens")).patch.articles == (bare,)


def test_a_connection_of_the_seeds_begins_with_its_sections():
    of = notes("concepts/a", "concepts/b")
    one = replace(CONNECTION, lead="", sections=(section("The Connection", prose="A feeds B."),))
    assert reason(one, of) == ""
    assert reason(replace(one, sections=()), of) == "a new article needs a lead"


def test_what_is_at_the_limits_is_taken():
    one = change(
        "x" * 80,
        "x" * 6_000,
        title="x" * 120,
        sections=(section("Details", *["x" * 600] * 80),),
        aliases=("x" * 200,) * 200,
    )
    assert reason(one) == ""


def test_the_rest_of_a_patch_stays_when_a_part_is_refused():
    good, bad = change("good"), change("BAD")
    rule = RuleProposal("Always lint first", "workflow", "always lint first", E1)
    found = checked(bad, good, rules=(rule, replace(rule, entry="e-f")))
    assert found.patch == Patch((good,), (rule,))
    assert [one.part for one in found.refused] == ["concept/BAD", "rule 'Always lint first'"]


def test_a_patch_out_of_hand_is_cut():
    found = checked(*(change(f"a{n}") for n in range(MAX_ARTICLES + 3)))
    assert len(found.patch.articles) == MAX_ARTICLES
    assert [one.reason for one in found.refused] == ["more than 40 in one patch"]


@pytest.mark.parametrize("lazy", [True, False])
def test_a_file_that_cannot_be_read_is_left_alone(lazy):
    class Shelf(dict):
        """Like the shelf on disk: it knows of the file, and finds out when asked for it."""

        def get(self, path, default=None):
            return default

    of = context(unreadable=() if lazy else ("concepts/tokens",))
    if lazy:
        of = replace(of, articles=Shelf({"concepts/tokens": None}))
    assert "cannot be read" in reason(change(), of)


def links(one, of=None, *others):
    """Give the links of a change that live, and those that are refused."""
    found = checked(one, *others, of=of)
    (live,) = (taken for taken in found.patch.articles if taken.slug == one.slug)
    dead = [refused.part for refused in found.refused]
    return [link.target for link in live.related], list(live.connects), dead


def test_links_live_to_what_is_there_and_to_what_is_proposed():
    one = linked("concepts/old", "concepts/new", "concepts/none")
    live = (["concepts/old", "concepts/new"], [], ["link concepts/none"])
    assert links(one, notes("concepts/old"), change("new")) == live


@cased()
def test_links_that_are_dead(target):
    assert links(linked(target), notes("concepts/old")) == ([], [], [f"link {target}"])


def test_a_file_whose_name_no_link_can_hold_is_not_linked():
    names = ["concepts/C# notes", "concepts/a|b", "concepts/a]]b"]
    dead = [f"link {name}" for name in names]
    assert links(linked(*names), notes(*names)) == ([], [], dead)
    spaced = "concepts/My Note"
    assert links(linked(spaced), notes(spaced))[0] == [spaced]


CONNECTION = change("a-and-b", kind="connection", connects=("concepts/a", "concepts/b"))


@cased()
def test_a_connection_needs_two_ends(connects, taken):
    one = replace(CONNECTION, connects=connects)
    told = "" if taken else "it connects fewer than two articles"
    found = checked(one, of=notes("concepts/a", "concepts/b"))
    assert bool(found.patch.articles) is taken
    assert taken or found.refused[0].reason == told


def test_what_hangs_on_a_refused_connection_falls_with_it():
    other = change("c", kind="connection", connects=("concepts/a", "connections/a-and-b"))
    third = change(
        "a", related=(RelatedArticle("connections/c"), RelatedArticle("connections/a-and-b"))
    )
    found = checked(CONNECTION, other, third, change("b", lead=""))
    assert found.patch.articles == (change("a"),)
    assert [one.part for one in found.refused] == [
        "concept/b",
        "connection/a-and-b",
        "connection/c",
        "link connections/c",
        "link connections/a-and-b",
    ]


def test_an_existing_connection_may_be_added_to():
    one = replace(CONNECTION, connects=())
    assert reason(one, notes("connections/a-and-b")) == ""


@cased()
def test_rules_that_are_refused(more, told):
    rule = replace(RuleProposal("Always lint first", "workflow", "always lint", E1), **more)
    found = checked(rules=(rule,))
    if told:
        assert told in found.refused[0].reason
        assert found.patch.rules == ()
    else:
        assert found == type(found)(Patch((), (rule,)), ())


def test_a_kind_that_a_person_declared_can_be_proposed():
    one = change("bread", kind="recipe", sections=(section("Steps", "Bake it."),))
    assert reason(one, context(kinds=with_recipes())) == ""
    other = change("bread", kind="recipe", sections=(section("Key Points", "x"),))
    found = checked(other, of=context(kinds=with_recipes()))
    assert [one.heading for one in found.patch.articles[0].sections] == ["Ingredients"]


@given(
    changes(
        ["concept", "connection", "x"],
        ["a", "b", "B", "c"],
        ["Details", "Key Points", "The Connection", "x"],
        entries=st.sampled_from([(), (E1,), ("e-f",)]),
        related=st.lists(
            st.builds(RelatedArticle, hostile | st.just("concepts/a"), hostile), max_size=3
        ).map(tuple),
        connects=st.lists(st.sampled_from(["concepts/a", "concepts/b"]), max_size=2).map(tuple),
    )
)
def test_checking_again_refuses_nothing_more(one):
    of = context([note("concepts/a")], [entry(1), entry(2)])
    first = checked(one, change("b"), of=of)
    again = check_patch(first.patch, of)
    assert again.patch == first.patch
    assert again.refused == ()


def test_a_page_that_is_written_anew_from_the_logs_is_amended_by_nobody():
    path = "concepts/tokens"
    page = compose_article(path, "concept", {"title": path, MADE: "h0"}, path, "A lead.")
    assert "writes this page anew" in reason(change(), of=context([page]))


def test_a_page_is_shown_without_what_code_writes_and_with_short_dates():
    source = "([[daily/2026-03-02#^e-0f3a12bc34de]])"
    until = f"(until 2026-03-02, then: It caches.) {source}"
    page = (
        "concepts/a\n---\ntitle: A\ntags: [x]\n---\n\n# A\n\nIt caches.\n\n"
        f"## Key Points\n\n- It is fast. {source}\n\n"
        f"## Before the Change\n\n- It did not. {until}\n\n"
        "## Related Concepts\n\n- [[concepts/b]] - its use\n\n"
        f"## Sources\n\n- {source} - A title\n"
    )
    names = [line_id(text) for text in ("It caches.", "It is fast.")]
    assert format_with_ids(page).splitlines() == [
        "concepts/a",
        "# A",
        f"{names[0]}| It caches.",
        "## Key Points",
        f"{names[1]}| - It is fast. (2026-03-02)",
        "## Before the Change",
        "- It did not. (until 2026-03-02)",
    ]
