"""A vault in memory -> the seed's six structural checks and those of our own."""

import pytest
from cases import cased
from hypothesis import given, strategies as st
from linted import LONG, article, result, said, snapshot

from memoria.lint.checks import LogState, lint
from memoria.lint.finding import sort_findings
from memoria.vault.index import INDEX_HEADER

A, B, C = (f"knowledge/concepts/{name}.md" for name in "abc")
INDEX, LOG, RULE = "knowledge/index.md", "daily/2026-04-01.md", "knowledge/rules/r.md"


def linked(*names):
    return "## Related Concepts\n\n" + "".join(f"- [[concepts/{name}]]\n" for name in names)


SOUND = {A: article(linked("b"), "A"), B: article(linked("a"), "B")}
CITED = SOUND | {A: article(linked("b"), "A", f'sources: ["{LOG}"]\n'), LOG: "x"}
RULED = SOUND | {
    RULE: "---\ntitle: Never\nid: x\ncategory: x\nstatus: x\nfrequency: x\nconfidence: x\n"
    "scope: []\nsources: []\ncreated: 2026-04-01\nupdated: 2026-04-01\n---\n\n# Never\n"
}
SHORT = article("", "C").replace(LONG, "word " * 198)
READ = (
    "[[concepts/b|alias]] [[concepts/b#B]] [[concepts/b.md]] ![[picture.png]] `[[code]]` "
    "[[B]] [[2026-04-01]] [[daily/2026-04-01]] [[#C]] [[README]]\n\n```\n[[x]]\n```\n"
)
BROKEN = article("see [[gone]]\nand [[gone|again]] ![[no.png]]\n" + linked("a"), "C")
CONNECTION = article(linked("a", "b"), "X", 'connects: ["concepts/a", "concepts/gone"]\n')
X = "knowledge/connections/x.md"
OTHERS = {f"knowledge/concepts/o{n}.md": article(linked("a"), f"O{n}") for n in range(20)}
HUB = article(linked(*(f"o{n}" for n in range(12))), "A")


@pytest.mark.parametrize(
    ("files", "check", "severity", "paths"),
    [
        (SOUND, "", "", []),
        ({}, "", "", []),
        (SOUND | {C: BROKEN}, "broken-links", "error", [C, C]),
        (SOUND | {LOG: "# Log\n\n[[to be written]]\n"}, "broken-links", "warning", [LOG]),
        (SOUND | {X: CONNECTION}, "broken-links", "error", [X]),
        # as Obsidian reads them
        (
            SOUND
            | {B: article(linked("a", "c"), "B"), C: article(READ, "C"), LOG: "", "README.md": ""}
            | {"knowledge/picture.png": ""},
            "",
            "",
            [],
        ),
        # a link to itself counts for nothing; a daily log is no article
        (
            SOUND | {C: article(linked("a", "c"), "C"), LOG: "[[concepts/c]]"},
            "orphan-pages",
            "warning",
            [C],
        ),
        (RULED, "", "", []),
        ({A: HUB} | OTHERS, "missing-backlinks", "", []),
        # what has no place for links back needs none
        (
            RULED
            | {C: article(linked("a") + "- [[rules/r]]\n", "C"), B: article(linked("a", "c"), "B")},
            "missing-backlinks",
            "suggestion",
            [A, C],
        ),
        ({A: CITED[A], B: CITED[B]}, "missing-sources", "warning", [A]),
        (SOUND | {C: SHORT}, "sparse-articles", "suggestion", [C]),
        (SOUND | {C: SHORT.replace("# C", "# C D")}, "sparse-articles", "", []),
        # an extract is as long as it is
        (SOUND | {C: SHORT.replace("tags:", 'key: "term:c"\ntags:')}, "sparse-articles", "", []),
        (SOUND | {INDEX: INDEX_HEADER + snapshot(SOUND).index}, "index", "", []),
    ],
)
def test_what_each_check_tells(files, check, severity, paths):
    flaws = [one for one in result(files).findings if check in ("", one.check)]
    assert [one.path for one in flaws] == paths
    assert {one.severity for one in flaws} == ({severity} if paths else set())


def test_findings_name_their_line():
    line = BROKEN.split("\n").index("see [[gone]]") + 1
    found = [(C, line, "gone does not exist"), (C, line + 1, "no.png does not exist")]
    assert said(SOUND | {C: BROKEN}, "broken-links") == found
    ((_, line, _),) = said(SOUND | {X: CONNECTION}, "broken-links")
    assert "connects" in CONNECTION.split("\n")[line - 1]
    ((_, line, message),) = said({A: CITED[A], B: CITED[B]}, "missing-sources")
    assert message == f"{LOG} is not there"
    assert LOG in CITED[A].split("\n")[line - 1]


def test_missing_backlinks_are_one_line_an_article():
    others = {f"knowledge/concepts/o{n}.md": article(linked("a", "b"), f"O{n}") for n in range(8)}
    found = said(SOUND | others, "missing-backlinks")
    assert [(path, line) for path, line, _ in found] == [(A, 1), (B, 1)]
    assert found[0][2].endswith("concepts/o4 and 3 more")
    assert len(result(SOUND | others).repairs.backlinks["concepts/a"]) == 8


@pytest.mark.parametrize(
    ("files", "source", "check", "path", "message"),
    [
        (CITED, (False, 2, 2), "orphan-sources", LOG, "2 entries not"),
        (CITED, (False, 0, 0), "orphan-sources", LOG, "no `### Session"),
        (CITED, (True, 2, 1), "stale-articles", A, "has changed since"),
        (SOUND | {LOG: "x"}, (True, 2, 1), "stale-articles", LOG, "1 entry new or changed"),
    ],
)
def test_logs_that_are_not_compiled(files, source, check, path, message):
    flaws = result(files, sources=[LogState(LOG, *source)]).findings
    assert [(one.check, one.severity, one.path) for one in flaws] == [(check, "warning", path)]
    assert message in flaws[0].message


@cased()
def test_copies_of_a_sync_client_are_told_of_once(name):
    copy = f"knowledge/concepts/{name}.md"
    (flaw,) = result(SOUND | {copy: SOUND[A]}).findings
    assert (flaw.check, flaw.severity, flaw.path) == ("sync-conflicts", "warning", copy)
    assert f"copy of {A}" in flaw.message


def test_rows_and_articles_that_lack_each_other():
    text = INDEX_HEADER + snapshot(SOUND).index
    found = result(SOUND | {INDEX: text.replace("concepts/b]]", "concepts/gone]]")})
    told = [(one.severity, one.path, one.line) for one in found.findings]
    assert told == [("error", INDEX, 6), ("warning", INDEX, 1)]
    assert found.repairs.index
    ((path, line, message),) = said(SOUND | {INDEX: f"{text}\nA thought.\n\nAnother.\n"}, "index")
    assert (path, line, message[:18]) == (INDEX, 8, "2 lines of your ow")
    vault = snapshot(SOUND)
    (flaw,) = lint(type(vault)(vault.files, vault.notes, (), vault.schema, None)).findings
    assert (flaw.check, flaw.path) == ("index", INDEX)


def test_a_note_that_cannot_be_read_is_told_of_once_and_its_links_count():
    files = SOUND | {C: "text [[concepts/a]] [[gone]]"}
    checks = [(one.check, one.path) for one in result(files).findings]
    assert checks == [("unreadable", C), ("broken-links", C), ("missing-backlinks", A)]


NAMES = ("a", "b", "c d", "concepts/a", "tools/b", "T", "2026-04-01", "#x", "a#T", "x.png", "../a")
BODIES = st.lists(st.sampled_from([f"[[{name}]]" for name in NAMES]), max_size=6).map(" ".join)
PATHS = st.sampled_from([A, B, "knowledge/tools/b.md", "knowledge/x/y.md", LOG])


@given(st.dictionaries(PATHS, BODIES, max_size=5), st.booleans())
def test_whatever_links_where_all_is_told_in_order(bodies, whole):
    files = {path: article(body) if whole else body for path, body in bodies.items()}
    found = result(files)
    assert list(found.findings) == list(sort_findings(found.findings))
    lacking = {one.path for one in found.findings if one.check == "missing-backlinks"}
    assert {f"knowledge/{path}.md" for path in found.repairs.backlinks} == lacking
