"""Claims -> a question, and its answer -> findings."""

import pytest

from memoria.errors import BadReply
from memoria.lint.contradictions import (
    MAX_REQUEST,
    ArticleClaim,
    build_lint_prompt,
    find_claims,
    group_claims,
    read_contradictions,
)
from memoria.text.outline import parse_outline
from memoria.vault.article import parse_article

ONE = ArticleClaim("concepts/a", 7, "Search results are cached.", "2026-04-01")
OTHER = ArticleClaim("concepts/b", 9, "Nothing that search gives is kept.", "2026-05-01")
TEMPLATE = "Read.\n<<< {{boundary}}\n{{lines}}\n>>> {{boundary}}\n"


def answer(*items):
    return {"contradictions": list(items)}


def named(one, other, why="x"):
    return {"one": one, "other": other, "why": why}


def test_a_contradiction_is_told_at_the_older_claim():
    said = answer(named("L2", "L1", "One says <b>cached</b>."))
    (flaw,) = read_contradictions(said, (ONE, OTHER))
    assert (flaw.check, flaw.severity) == ("contradictions", "warning")
    assert (flaw.path, flaw.line) == ("knowledge/concepts/a.md", 7)
    assert flaw.message.startswith(
        f'"{ONE.text}" - concepts/b, line 9, says otherwise on 2026-05-01: "{OTHER.text}" (One says'
    )
    assert "<b>" not in flaw.message


def test_a_reason_names_pages_and_no_ids_of_the_request():
    why = "L1 caches, L2 keeps nothing; L20 and the L3 cache are no lines of the pair."
    (flaw,) = read_contradictions(answer(named("L2", "L1", why)), (ONE, OTHER))
    assert "(concepts/a, line 7 caches, concepts/b, line 9 keeps nothing; L20 " in flaw.message
    assert "the L3 cache" in flaw.message


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"contradictions": None},
        answer("x"),
        answer({"one": "L1", "other": "L2"}),
        answer(named(1, "L2")),
    ],
)
def test_an_answer_that_is_not_of_the_form(value):
    with pytest.raises(BadReply):
        list(read_contradictions(value, (ONE, OTHER)))


def test_each_project_is_asked_about_by_itself_with_what_belongs_to_none():
    till = [ArticleClaim(f"concepts/t{n}", 1, f"Till {n}.", "", ("till",)) for n in range(2)]
    shop = ArticleClaim("concepts/shop", 1, "Shop.", "", ("shop",))
    both = ArticleClaim("concepts/any", 1, "Any.")
    assert group_claims([both, shop, *till]) == [(both, shop), (both, *till)]
    assert group_claims([both]) == []


def test_checkouts_of_one_repository_are_asked_about_together():
    ana, ben, both = (
        ArticleClaim(f"concepts/{name}", 1, f"{name} says.", "", places)
        for name, places in (("a", ("/ana/x",)), ("b", ("/ben/x",)), ("c", ("/ana/x", "/ben/x")))
    )
    assert group_claims([ana, ben, both]) == [(ana, both), (ben, both)]
    clones = {"/ana/x": "/ana/x", "/ben/x": "/ana/x"}
    assert group_claims([ana, ben, both], clones) == [(ana, ben, both)]


def test_what_a_larger_request_holds_is_not_asked_again():
    pages = [
        ArticleClaim(f"concepts/{name}", 1, f"{name} says.", "", places)
        for name, places in (("a", ("x", "y")), ("b", ("x", "y")), ("c", ("y",)))
    ]
    assert group_claims(pages) == [tuple(pages)]


def test_a_request_is_bounded_and_cuts_no_page():
    claims = [
        ArticleClaim(f"concepts/p{page}", line, f"Page {page} says {line}. " + "x" * 250)
        for page in range(40)
        for line in range(20)
    ]
    asked = group_claims(claims)
    assert [claim for one in asked for claim in one] == claims
    for one in asked:
        assert len(build_lint_prompt(TEMPLATE, one)) < MAX_REQUEST * 1.05
    pages = [{claim.path for claim in one} for one in asked]
    assert sum(map(len, pages)) == 40
    assert len(asked) > 1


TEXT = """# A

The lead says it. (daily/2026-04-01)

## Key Points

- It holds. ([[daily/2026-04-02#^e-000000000001]])
- Does it?

## Before the Change

- It did not hold.

## Sources

- [[daily/2026-04-01]]
"""


def test_what_was_so_once_is_no_claim():
    front = "---\nprojects: [shop]\n---\n"
    article = parse_article("concepts/a", "concept", front + TEXT)
    found = list(find_claims(article, parse_outline(TEXT, 4).blocks))
    assert [(claim.text, claim.line, claim.day, claim.projects) for claim in found] == [
        ("The lead says it.", 6, "2026-04-01", ("shop",)),
        ("It holds.", 10, "2026-04-02", ("shop",)),
    ]
    rule = parse_article("rules/a", "rule", front + "# Lint.\n")
    assert [claim.text for claim in find_claims(rule, ())] == ["Lint."]
