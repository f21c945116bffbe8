"""The links by which lines name their entries, and the format of a log that they rest on."""

from datetime import date

from cases import cased
from notes import DAY, entry
from obsidian import Opened

from memoria.vault import daily_log
from memoria.vault.citations import Citation, cite, parse_citations, parse_quote

ENTRY = entry(1, title="Session tokens", context="On `main`.", lessons=("Kept in UTC.",))
LOG = daily_log.place("", ENTRY).text


# -- What scorers and Obsidian read ----------------------------------------------------------------


def test_the_id_is_in_obsidian_s_form_below_the_heading():
    """A block that cannot carry its id gets it on a line of its own, with blank lines around it."""
    assert "- Session tokens\n\n^e-000000000001\n\n<!-- memoria {" in LOG
    name = f"daily/{DAY}.md"
    note = f"- Kept. ([[{cite(DAY, ENTRY.id).target}]])\n"
    assert Opened({name: LOG, "a.md": note}).faults() == []
    broken = f"- Kept. ([[daily/{DAY}#^e-00000000000f]])\n"
    (fault,) = Opened({name: LOG, "a.md": broken}).faults()
    assert "no block e-00000000000f" in fault


# -- Links -----------------------------------------------------------------------------------------


@cased()
def test_links_to_logs(line, found):
    assert parse_citations(line) == tuple(Citation(*one) for one in found)


def test_days_of_links():
    assert Citation("daily/2026-04-01").day == date(2026, 4, 1)
    assert Citation("daily/2026-04-01-auth").day is None


@cased()
def test_a_line_of_evidence(line, found):
    one = parse_quote(line)
    assert (one.words, one.link, one.where) == found
