import base64
import hashlib
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from ruled import made as rule
from studies import seen, unit

from memoria.evidence.backtest.replay import backtest
from memoria.evidence.report import render
from memoria.evidence.report.model_costs import Costs
from memoria.evidence.report.repeated_errors import RepeatedErrors, repeated_errors
from memoria.evidence.report.report_data import Captures, ReportData
from memoria.evidence.report.rule_records import RuleRecord, RuleRecords
from memoria.evidence.report.study_tables import parts

MADE = datetime(2026, 4, 9, 8, 30, tzinfo=UTC)
EVIL = (
    "<script>alert(1)</script>", '"><img src=http://evil.example/x onerror=alert(1)>',
    "javascript:alert(1)", "{{ 7 * 7 }}", "![x](http://evil.example/y.png)", "[[../../etc/passwd]]",
    "a | b", "`code` <iframe src=x>", "\u202egnp.exe\u200b", "<!-- x --><style>*{}</style>",
    "%%comment%%", "$= dv.current()", "line\nbreak",
)  # fmt: skip


def made(texts=("Run the linter",), path="rules/run-the-linter", **changes):
    records = tuple(
        RuleRecord(rule(text, status="active", path=path), in_force=True, injected=3)
        for text in texts
    )
    found = [
        seen(f"Bash exit {text}", f"s{n}", n, fix=text, mended=n + 2, project=texts[0])
        for n in range(2)
        for text in texts
    ]
    values = {
        "made": MADE, "vault": "notes", "scope": "", "studies": (),
        "rules": RuleRecords(records, in_force=len(texts)),
        "errors": repeated_errors(found, {}), "replay": backtest(found),
        "captures": Captures(3, 1, MADE.date()), "costs": Costs(),
    }  # fmt: skip
    return ReportData(**values | changes)


class Page(HTMLParser):
    """The tags of a page with their attributes, and the texts between them."""

    VOID = ("meta", "br", "img", "link", "input")

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)
        assert self.open == [], "a tag is not closed"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def of(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]

    @property
    def text(self):
        return " ".join(self.texts)


@pytest.fixture(scope="module")
def hostile():
    found = made(EVIL, vault='n"><b>otes', scope='<i>"x"</i>', path='rules/"><script>')
    return render.html(found, "..")


def test_nothing_in_the_page_can_act(hostile):
    page = Page(hostile)
    allowed = {
        "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav",
        "section", "div", "figure", "figcaption", "details", "summary", "h1", "h2", "h3", "p", "ul",
        "li", "dl", "dt", "dd", "a", "code", "pre", "span", "time", "br", "table", "caption",
        "thead", "tbody", "tr", "th", "td", "svg", "desc", "path", "text",
    }  # fmt: skip
    assert {tag for tag, _ in page.tags} <= allowed
    names = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not names & {"style", "src", "srcset", "action"}
    assert len(page.of("style")) == 1


def test_what_the_vault_says_is_shown_as_it_stands(hostile):
    shown = Page(hostile).text
    for text in EVIL[:8]:
        assert text in shown
    assert "49" not in re.findall(
        r"\d+", "".join(text for text in Page(hostile).texts if "{{" in text)
    )


def test_no_address_leads_elsewhere(hostile):
    for attributes in Page(hostile).of("a"):
        assert re.match(
            r"\.\./(knowledge|daily)/|#[a-z]+$|obsidian://open\?vault=", attributes["href"]
        )
        assert not set(attributes["href"]) & set("<>\"' \n")


def test_what_cannot_be_seen_is_taken_out(hostile):
    assert "\u202e" not in hostile
    assert "\u200b" not in hostile


def test_the_policy_allows_the_style_sheet_by_its_hash_and_nothing_else():
    text = render.html(made(), "..")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = (
        one["content"]
        for one in Page(text).of("meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    )
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    # before anything that could load
    assert text.index("Content-Security-Policy") < text.index("<style>")
    assert "url(" not in style
    assert "@import" not in style


def test_links_lead_into_the_vault_from_wherever_the_page_lies():
    page = Page(render.html(made(path="rules/ein-täst"), "../my%20notes"))
    addresses = [one["href"] for one in page.of("a")]
    assert "../my%20notes/knowledge/rules/ein-t%C3%A4st.md" in addresses
    assert "obsidian://open?vault=notes&file=knowledge%2Frules%2Fein-t%C3%A4st.md" in addresses


def test_ids_are_unique_and_pictures_have_names():
    page = Page(render.html(made(), ".."))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    pictures = [one for one in page.of("svg") if one.get("role") == "img"]
    for one in pictures:
        assert set(one["aria-labelledby"].split()) <= set(ids)
    for one in page.of("svg"):
        assert one.get("role") == "img" or one.get("aria-hidden") == "true"


def test_a_page_without_anything_has_no_pictures_and_no_tables():
    nothing = {
        "rules": RuleRecords(), "errors": RepeatedErrors(), "captures": Captures(),
        "replay": backtest([]),
    }  # fmt: skip
    text = render.html(made(**nothing), "..")
    page = Page(text)
    assert page.of("figure") == page.of("table") == []
    assert "memoria import" in page.text
    noted = render.markdown(made(**nothing))
    assert "memoria import" in noted
    assert "|" not in noted


def test_what_waits_is_said_with_its_reason():
    day, reason = MADE.date(), "the account has no credit <left>"
    found = made(captures=Captures(3, 1, day, 3, 1, reason, day))
    said = " ".join(Page(render.html(found, "..")).text.split())
    assert "3 captured sessions wait in the spool, the oldest since 9 Apr 2026: the account" in said
    assert "1 session could not be captured" in said
    assert "3 captured sessions wait" in render.markdown(found)


def test_nothing_in_the_note_can_act():
    text = render.markdown(made(EVIL, scope="<i>x</i>"))
    code = re.sub(r"(`+).+?\1", "", text)  # inline code is shown as it stands
    assert not re.search(r"<[A-Za-z!/]", code)
    assert "](" not in code
    assert "%%" not in code
    assert "![" not in code
    assert re.findall(r"(?<!\\)\[\[", code) == []


def test_every_row_of_the_note_has_as_many_cells_as_its_table():
    lines = render.markdown(made(EVIL)).splitlines()
    width = 0
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|"):
            width = width or cells
            assert cells == width, line
        else:
            width = 0
            assert not after.startswith("|") or not line, f"no empty line before the table: {line}"


def test_the_note_links_to_notes_that_are_there():
    assert "[[rules/run-the-linter\\|" in render.markdown(made(), {"rules/run-the-linter"})
    assert "[[" not in render.markdown(made(), set())


def test_projects_of_one_name_are_told_apart_and_the_rest_is_summed_up():
    names = ["/home/ana/code/cli", "/home/bo/code/cli", "/srv/other/cli"]
    names += [f"/srv/shop-{number}" for number in range(7)]
    found = [unit(at, 2, 1, project=name) for at, name in enumerate(names)]
    rows = {name: (errors, repeats) for name, errors, repeats, _ in parts(found).rows}
    assert [name for name in rows if name.endswith("cli")] == [
        "project ana/code/cli",
        "project bo/code/cli",
        "project other/cli",
    ]
    assert rows["project shop-0"] == ("2", "1")
    assert rows["the other projects"] == ("4", "2")
