"""A vault in memory -> the seed's six structural checks and those of our own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linted import LONG, article, result, said, snapshot

from memoria.lint.checks import Source, lint
from memoria.lint.finding import ordered
from memoria.vault.index import INDEX_HEADER

A, B, C = (f"knowledge/concepts/{name}.md" for name in "abc")
BACK = "## Related Concepts\n\n"


def linked(*names):
    return BACK + "".join(f"- [[concepts/{name}]]\n" for name in names)


SOUND = {A: article(linked("b"), "A"), B: article(linked("a"), "B")}


def severities(files, check, **more):
    return {one.severity for one in result(files, **more).findings if one.check == check}


def test_a_sound_vault_has_no_flaws():
    assert result(SOUND).findings == ()
    assert result({}).findings == ()


# -- Links ----------------------------------------------------------------------------------------


def test_broken_links_are_errors_with_their_line():
    files = SOUND | {
        C: article("see [[gone]]\nand [[gone|again]] ![[no.png]]\n" + linked("a"), "C")
    }
    found = said(files, "broken-links")
    line = files[C].split("\n").index("see [[gone]]") + 1
    assert found == [(C, line, "gone does not exist"), (C, line + 1, "no.png does not exist")]
    assert severities(files, "broken-links") == {"error"}


def test_links_as_obsidian_reads_them_are_not_broken():
    text = (
        "[[concepts/b|alias]] [[concepts/b#B]] [[concepts/b.md]] ![[picture.png]] `[[code]]` "
        "[[B]] [[2026-04-01]] [[daily/2026-04-01]] [[#C]] [[README]]\n\n```\n[[x]]\n```\n"
    )
    files = SOUND | {
        B: article(linked("a", "c"), "B"),
        C: article(text, "C"),
        "knowledge/picture.png": "",
        "daily/2026-04-01.md": "",
        "README.md": "",
    }
    flaws = result(files).findings
    assert {one.check for one in flaws} <= {"sparse-articles"}


def test_what_frontmatter_names_is_a_link():
    files = SOUND | {
        "knowledge/connections/x.md": article(
            linked("a", "b"), "X", 'connects: ["concepts/a", "concepts/gone"]\n'
        )
    }
    ((_, line, message),) = said(files, "broken-links")
    assert message == "concepts/gone does not exist"
    assert "connects" in files["knowledge/connections/x.md"].split("\n")[line - 1]


def test_orphan_pages():
    files = SOUND | {C: article(linked("a") + "- [[concepts/c]]\n", "C")}
    assert [path for path, *_ in said(files, "orphan-pages")] == [C]
    assert severities(files, "orphan-pages") == {"warning"}
    # the index, the log and a daily log are no articles
    files |= {"daily/2026-04-01.md": "[[concepts/c]]"}
    assert [path for path, *_ in said(files, "orphan-pages")] == [C]
    files[B] = article(linked("a", "c"), "B")
    assert said(files, "orphan-pages") == []


def test_a_rule_is_no_orphan_and_not_sparse():
    files = SOUND | {"knowledge/rules/r.md": _rule("Never do it.")}
    assert {one.check for one in result(files).findings} == set()


def _rule(title):
    keys = ("id", "category", "status", "frequency", "confidence", "scope", "sources")
    front = "".join(f"{key}: x\n" for key in keys if key not in {"scope", "sources"})
    dates = "scope: []\nsources: []\ncreated: 2026-04-01\nupdated: 2026-04-01\n"
    return f'---\ntitle: "{title}"\n{front}{dates}---\n\n# {title}\n'


def test_missing_backlinks_are_one_line_an_article():
    others = {f"knowledge/concepts/o{n}.md": article(linked("a", "b"), f"O{n}") for n in range(8)}
    files = SOUND | others
    found = said(files, "missing-backlinks")
    assert [(path, line) for path, line, _ in found] == [(A, 1), (B, 1)]
    assert found[0][2].endswith("concepts/o4 and 3 more")
    assert severities(files, "missing-backlinks") == {"suggestion"}
    assert len(result(files).repairs.backlinks["concepts/a"]) == 8


def test_a_hub_with_many_links_is_left_in_peace():
    hub = article(linked(*(f"o{n}" for n in range(12))), "A")
    others = {f"knowledge/concepts/o{n}.md": article(linked("a"), f"O{n}") for n in range(20)}
    assert said({A: hub} | others, "missing-backlinks") == []


def test_what_has_no_place_for_links_back_needs_none():
    files = SOUND | {
        "knowledge/rules/r.md": _rule("Never do it."),
        C: article(linked("a") + "- [[rules/r]]\n", "C"),
        B: article(linked("a", "c"), "B"),
    }
    assert [path for path, *_ in said(files, "missing-backlinks")] == [A, C]


# -- Where from -----------------------------------------------------------------------------------

LOG = "daily/2026-04-01.md"
CITED = SOUND | {A: article(linked("b"), "A", f'sources: ["{LOG}"]\n'), LOG: "x"}


@pytest.mark.parametrize(
    ("source", "check", "path", "message"),
    [
        (Source(LOG, compiled=False, entries=2, fresh=2), "orphan-sources", LOG, "2 entries not"),
        (Source(LOG, compiled=False, entries=0, fresh=0), "orphan-sources", LOG, "no `### Session"),
        (Source(LOG, compiled=True, entries=2, fresh=1), "stale-articles", A, "has changed since"),
    ],
)
def test_logs_that_are_not_compiled(source, check, path, message):
    flaws = result(CITED, sources=[source]).findings
    assert [(one.check, one.severity, one.path) for one in flaws] == [(check, "warning", path)]
    assert message in flaws[0].message


def test_a_source_that_is_gone():
    files = {path: text for path, text in CITED.items() if path != LOG}
    ((path, line, message),) = said(files, "missing-sources")
    assert (path, message) == (A, f"{LOG} is not there")
    assert LOG in files[A].split("\n")[line - 1]


# -- Twins, places, size --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "a (Ana's conflicted copy 2026-04-01)", "a conflicted copy",
        "a.sync-conflict-20260401-120000-ABCDEFG", "a 2", "a (1)",
    ],
)  # fmt: skip
def test_copies_of_a_sync_client_are_told_of_once(name):
    copy = f"knowledge/concepts/{name}.md"
    files = SOUND | {copy: SOUND[A]}
    flaws = [one for one in result(files).findings if one.path == copy]
    assert [(one.check, one.severity) for one in flaws] == [("sync-conflicts", "warning")]
    assert f"copy of {A}" in flaws[0].message
    assert len(result(files).findings) == 1


def test_sparse_articles():
    short = article("", "C").replace(LONG, "word " * 198)
    front = short.replace("tags:", 'key: "term:c"\ntags:')
    assert [path for path, *_ in said(SOUND | {C: short}, "sparse-articles")] == [C]
    assert severities(SOUND | {C: short}, "sparse-articles") == {"suggestion"}
    assert said(SOUND | {C: short.replace("# C", "# C D")}, "sparse-articles") == []
    assert said(SOUND | {C: front}, "sparse-articles") == [], "an extract is as long as it is"


# -- The index ------------------------------------------------------------------------------------


def index(files=SOUND):
    return INDEX_HEADER + snapshot(files).index


def test_the_index_agrees():
    assert said(SOUND | {"knowledge/index.md": index()}, "index") == []


def test_rows_and_articles_that_lack_each_other():
    text = index().replace("concepts/b]]", "concepts/gone]]")
    found = result(SOUND | {"knowledge/index.md": text})
    assert [(one.severity, one.path, one.line) for one in found.findings] == [
        ("error", "knowledge/index.md", 6),
        ("warning", "knowledge/index.md", 1),
    ]
    assert found.repairs.index


def test_a_missing_index_is_one_finding():
    vault = snapshot(SOUND)
    flaws = lint(type(vault)(vault.files, vault.notes, (), vault.schema, None)).findings
    assert [(one.check, one.path) for one in flaws] == [("index", "knowledge/index.md")]


def test_what_a_person_added_to_the_index():
    text = index() + "\nA thought.\n\nAnother.\n"
    ((path, line, message),) = said(SOUND | {"knowledge/index.md": text}, "index")
    assert (path, line) == ("knowledge/index.md", 8)
    assert message.startswith("2 lines of your own")


# -- As a whole -----------------------------------------------------------------------------------


def test_a_note_that_cannot_be_read_is_told_of_once_and_its_links_count():
    files = SOUND | {C: "text [[concepts/a]] [[gone]]"}
    checks = [(one.check, one.path) for one in result(files).findings]
    assert checks == [("unreadable", C), ("broken-links", C), ("missing-backlinks", A)]


NAMES = ("a", "b", "c d", "concepts/a", "tools/b", "T", "2026-04-01", "#x", "a#T", "x.png", "../a")
BODIES = st.lists(st.sampled_from([f"[[{name}]]" for name in NAMES]), max_size=6).map(" ".join)
PATHS = st.sampled_from([A, B, "knowledge/tools/b.md", "knowledge/x/y.md", "daily/2026-04-01.md"])


@given(st.dictionaries(PATHS, BODIES, max_size=5), st.booleans())
def test_whatever_links_where_all_is_told_in_order(bodies, whole):
    files = {path: article(body) if whole else body for path, body in bodies.items()}
    found = result(files)
    assert list(found.findings) == list(ordered(found.findings))
    lacking = {one.path for one in found.findings if one.check == "missing-backlinks"}
    assert {f"knowledge/{path}.md" for path in found.repairs.backlinks} == lacking


def test_in_a_daily_log_a_broken_link_is_a_warning():
    files = SOUND | {"daily/2026-04-01.md": "# Log\n\n[[to be written]]\n"}
    assert severities(files, "broken-links") == {"warning"}


def test_a_changed_log_that_no_article_cites_is_told_of_itself():
    source = Source(LOG, compiled=True, entries=2, fresh=1)
    ((path, _, message),) = said(SOUND | {LOG: "x"}, "stale-articles", sources=[source])
    assert path == LOG
    assert message.startswith("1 entry new or changed")
