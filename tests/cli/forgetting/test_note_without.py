"""Notes without what forgotten entries said."""

import pytest

from memoria.cli.forgetting import note_without
from memoria.cli.forgetting.selection import LostContent, find_words
from memoria.vault.article import parse_article, render_article

ONE, TWO = "daily/2026-03-02", "daily/2026-03-03"
GONE, KEPT = f"{ONE}#^e-000000000001", f"{ONE}#^e-000000000002"
THEIRS = "The nightjar service restarts whenever its region is unset."
OURS = "Tokens are compared in UTC by the login handler."
SAID = find_words(f"{THEIRS} All of it.")
# of the first day an entry goes and one stays, of the second all goes
LOST = LostContent(
    frozenset({"e-000000000001", "e-000000000003"}),
    frozenset({ONE, TWO}),
    frozenset({TWO}),
    SAID,
    SAID - find_words(OURS),
)


def note(*lines, title="Regions", lead="", sources=(ONE,), more=""):
    names = "".join(f'  - "{one}.md"\n' for one in sources)
    front = f"---\ntitle: {title}\naliases: []\ntags: []\nsources:\n{names}---\n"
    body = "".join(f"{line}\n" for line in lines)
    text = f"{front}\n# {title}\n\n{lead}\n\n## Key Points\n\n{body}{more}"
    return parse_article("concepts/regions", "concept", text)


def left(article, *, owned=True):
    found = note_without.purge_article(article, LOST, is_owned=owned).article
    return render_article(found).partition("## Key Points")[2] if found else None


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (f"- {THEIRS} ([[{GONE}]])", None),
        # the words are another's, and it names the entry all the same
        (f"- {OURS} ([[{GONE}]])", None),
        (f"- {OURS} ([[{KEPT}]])", f"- {OURS} ([[{KEPT}]])"),
        (f"- Said twice. ([[{GONE}]]) ([[{KEPT}]])", f"- Said twice. ([[{KEPT}]])"),
        # a person named the day alone, of which some stays
        (f"- {THEIRS} ([[{ONE}]])", None),
        (f"- {OURS} ([[{ONE}]])", f"- {OURS} ([[{ONE}]])"),
        # of another day, so nobody's business
        ("- It restarts. ([[daily/2026-03-09]])", "- It restarts. ([[daily/2026-03-09]])"),
        (f"- Something else. ([[{TWO}]])", None),
        # another source holds it up
        (
            f"- Said twice. ([[{TWO}]]) ([[daily/2026-03-09]])",
            "- Said twice. ([[daily/2026-03-09]])",
        ),
        # a word of theirs goes in any company
        (f"- The nightjar sings. ([[{ONE}]]) ([[daily/2026-03-09]])", None),
    ],
)
def test_a_line_goes_with_its_only_source(line, after):
    other = "- Stays. ([[daily/2026-03-09]])"
    found = left(note(line, other, sources=(ONE, "daily/2026-03-09")))
    assert found.strip().splitlines() == [one for one in (after, other) if one]


def test_a_persons_line_stays_and_is_named_where_it_holds_a_word():
    article = note(f"- {THEIRS} ([[{GONE}]])", "- My nightjar is a bird.", "- Mine.", lead=THEIRS)
    found = note_without.purge_article(article, LOST, is_owned=False)
    assert found.persons_lines == ("My nightjar is a bird.",)
    text = render_article(found.article)
    assert "Mine." in text
    assert THEIRS not in text


def test_sources_name_only_what_the_note_rests_on():
    more = f"\n## Sources\n\n- [[{GONE}]] - x\n- [[{KEPT}]] - Tokens\n- [[{TWO}]] - All\n"
    article = note(f"- {OURS} ([[{KEPT}]])", f"- X. ([[{TWO}]])", sources=(ONE, TWO), more=more)
    found = note_without.purge_article(article, LOST, is_owned=True).article
    assert found.names("sources") == (f"{ONE}.md",)
    assert found.section("Sources").strip() == f"- [[{KEPT}]] - Tokens"


def rule(*evidence, sessions=("aaaaaaaa",), title="Set the nightjar region."):
    said = "".join(f'  - "{one}"\n' for one in sessions)
    lines = "".join(f"{one}\n" for one in evidence)
    front = (
        f'---\nid: wf-0123456789\ntitle: "{title}"\nstatus: active\nfrequency: {len(sessions)}\n'
        f'sessions:\n{said}aliases: ["Compare tokens in UTC."]\nsources:\n  - "{ONE}.md"\n---\n'
    )
    return parse_article("rules/x", "rule", f"{front}\n# {title}\n\n## Evidence\n\n{lines}")


def test_a_rule_that_another_session_said_keeps_its_words_and_waits():
    mine = f'- "{OURS}" ([[{KEPT}]])'
    article = rule(f'- "{THEIRS}" ([[{GONE}]])', mine, sessions=("aaaaaaaa", "bbbbbbbb"))
    found = note_without.purge_rule(article, LOST, {"aaaaaaaa"}).article
    assert found.names("sessions") == ("bbbbbbbb",)
    assert (found.meta["frequency"], found.meta["confidence"]) == (1, "low")
    assert found.section("Evidence").strip() == mine
    assert found.title == "Compare tokens in UTC."
    assert found.meta["status"] == "waiting"
    assert "nightjar" not in render_article(found)


def test_a_rule_that_is_not_theirs_is_untouched():
    article = rule(
        '- "Set it." (said at the terminal, 2026-03-02)', sessions=("remember",), title="Set it."
    )
    assert note_without.purge_rule(article, LOST, {"aaaaaaaa"}).article is article


def test_links_follow_and_dead_ones_go():
    moves = {"concepts/gone": "", "concepts/old": "concepts/new"}
    text = "- [[concepts/gone]] - x\n- [[concepts/old]] - y\nSee [[concepts/gone|it]].\n"
    assert note_without.relink_text(text, moves) == "- [[concepts/new]] - y\nSee \u2026.\n"


def test_items_are_the_text():
    body = "\nProse one\nand on.\n\n- a\n  more\n- b\n\n```\n- no item\n```\n1. c\n"
    parts = note_without.split_items(body)
    assert "".join(parts) == body
    assert [part.strip()[:5] for part in parts] == ["", "Prose", "- a\n ", "- b", "```\n-", "1. c"]


def test_a_text_is_found_in_any_case():
    lost = LostContent(match="big secret")
    assert lost.drops_line("- The BIG Secret.")
    assert not lost.drops_line("- The secret.")
