from dataclasses import replace

import pytest
from vaulted import entry, extract, fact

from memoria.compile.patch import ArticleChange, Patch, PatchLine, RelatedArticle, Section
from memoria.search.answer import CheckedAnswer
from memoria.search.origin_marks import mark_answer, mark_patch
from memoria.vault.entry import Draft, Statement

READ = "The registry of the packages moved to another host last week"
MARKED = f"{READ} (from a web page)"
OWN = "The lease of the queue expired since its clock was naive"


def change(**more):
    values = {"kind": "concept", "slug": "leases", "title": "Leases", "lead": "Leases expire."}
    return ArticleChange(**values | {"sections": (), "entries": ("e-1",)} | more)


def carry(one, lines=(MARKED, OWN), shown=(), extracts=()):
    entries = [entry(1, draft=Draft("Leases", "", lessons=lines))]
    return mark_patch(Patch((one,)), entries, extracts, shown).articles[0]


def test_a_line_that_was_read_keeps_its_mark():
    section = Section("Key Points", f"{OWN}.\n\n{READ}.", (PatchLine(READ), PatchLine(OWN)))
    (found,) = carry(change(sections=(section,))).sections
    assert [line.text for line in found.lines] == [MARKED, OWN]
    assert found.prose == f"{OWN}.\n\n{READ}. (from a web page)"


def test_so_does_one_that_says_it_in_other_words():
    said = "Packages come from a registry which has moved: another host since last week"
    own = "A naive clock lets the lease of a queue expire too early"
    name = entry(1).id
    lines = (PatchLine(said, name), PatchLine(own, name), PatchLine(said, "e-9"))
    section = Section("Key Points", "", lines)
    (found,) = carry(change(sections=(section,))).sections
    # what another entry says is that one's
    assert [line.text for line in found.lines] == [f"{said} (from a web page)", own, said]


def test_what_the_session_says_itself_is_not_marked_for_being_near():
    near = "The registry of the packages moved, and our lock file names the new host"
    line = PatchLine("Our lock file names the new host of the registry of packages", entry(1).id)
    section = Section("Key Points", "", (line,))
    (found,) = carry(change(sections=(section,)), lines=(MARKED, near)).sections
    assert found.lines == (line,)


def test_what_an_extract_has_letter_by_letter_was_judged_where_the_session_was_seen():
    near = "Packages: their registry moved to another host, named in the lock file"
    section = Section("Key Points", "", (PatchLine(near, entry(1).id),))
    known = replace(extract(fact(text=MARKED)), results=(fact(text=near),))
    found = carry(change(lead=f"{near}.", sections=(section,)), extracts=(known,))
    assert (found.lead, found.sections) == (f"{near}.", (section,))
    assert carry(change(sections=(section,))).sections[0].lines[0].text != near


def test_so_do_names_and_the_lead():
    names = {"title": READ, "lead": f"Leases expire. {READ}.", "aliases": (READ, "leases")}
    found = carry(change(**names, related=(RelatedArticle("concepts/x", READ),)))
    assert found.title == MARKED
    assert found.lead == f"Leases expire. {READ}. (from a web page)"
    assert found.aliases == ("leases",)
    assert found.related == (RelatedArticle("concepts/x", ""),)
    slug = "the-registry-of-the-packages-moved-to-another-host"
    assert carry(change(slug=slug)).title == "Leases (from a web page)"


def test_two_words_in_common_are_no_mark():
    named = change(title="The registry", aliases=("the packages",))
    assert carry(named) == named


def test_nothing_is_marked_where_nothing_was_read():
    one = change(sections=(Section("Details", OWN),))
    assert carry(one, (OWN,)) == one


def test_a_line_of_an_article_that_was_shown_keeps_its_mark():
    one = change(sections=(Section("Key Points", lines=(PatchLine(READ),)),))
    (found,) = carry(one, (OWN,), [f"# Hosts\n\n- {READ} (from a file)"]).sections
    assert found.lines[0].text == f"{READ} (from a file)"


def test_a_fact_that_was_read_and_a_statement_of_the_users():
    one, found = change(sections=(Section("K", lines=(PatchLine(READ),)),)), extract(fact(MARKED))
    assert carry(one, (OWN,), (), [found]).sections[0].lines[0].text == MARKED
    said = Statement(READ, READ, "workflow", standing=True, score=3.0)
    told = replace(found, statements=(said,))
    assert carry(one, (OWN,), (), [told]).sections[0].lines[0].text == READ


@pytest.mark.parametrize("fence", ["```", "~~~js"])
def test_the_mark_stands_within_its_paragraph(fence):
    section = Section("Details", f"{OWN}:\n{fence}\n{READ}\n{fence[:3]}\n")
    (found,) = carry(change(sections=(section,))).sections
    assert found.prose == f"{OWN}:\n{fence}\n{MARKED}\n{fence[:3]}\n"


def test_an_answer_says_where_its_words_come_from():
    pages = [f"# Registry\n\n- {MARKED} (2026-03-02)\n- {OWN} (2026-03-02)"]
    text = f"{OWN} ([[concepts/x]])\n\n- {READ} ([[concepts/x]])"
    given = CheckedAnswer(True, text, (), (READ, "Why?"))
    found = mark_answer(given, pages)
    assert found.text == f"{OWN} ([[concepts/x]])\n\n- {READ} ([[concepts/x]]) (from a web page)"
    assert found.follow_ups == ("Why?",)
    assert mark_answer(given, [f"- {OWN}"]) == given
