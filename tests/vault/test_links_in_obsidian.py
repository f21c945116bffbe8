"""The vault of the samples as Obsidian reads it: links resolve, properties are of one type."""

import re

import pytest
from cases import cased
from markdown_it import MarkdownIt
from obsidian import Opened


@pytest.fixture
def notes(demo_place):
    found = {name: data.decode("utf-8") for name, data in demo_place.files().items()}
    return found | {"HOME.md": (demo_place.vault / "HOME.md").read_text("utf-8")}


CATALOGS = {"HOME.md", "knowledge/index.md", "knowledge/log.md", "daily/_TEMPLATE.md"}


def test_obsidian_finds_nothing_broken(notes):
    assert Opened(notes).faults() == []


def test_every_article_is_joined_to_the_day_it_comes_from(notes):
    for group in Opened(notes).islands(CATALOGS):
        assert any(name.startswith("daily/") for name in group), group


def test_home_leads_to_the_logs_the_index_and_the_projects_with_their_rules(notes):
    opened = Opened(notes)
    targets = opened.links("HOME.md")
    assert {"knowledge/index", "knowledge/log"} < set(targets)
    assert any(target.startswith("daily/") for target in targets)
    pages = [target for target in targets if target.startswith("projects/")]
    assert pages
    for page in pages:
        assert any(one.startswith("rules/") for one in opened.links(f"knowledge/{page}.md")), page


@cased()
def test_the_check_itself_finds_faults(other, fault):
    fine = "---\ncreated: 2026-04-01\n---\n[[A]]\n"
    assert fault in Opened({"b.md": fine, "a.md": other}).faults()
    assert Opened({"b.md": fine, "a.md": fine}).faults() == []


def test_nothing_in_it_is_active(notes):
    parser = MarkdownIt("commonmark", {"html": True})
    for name, text in notes.items():
        if name == "daily/_TEMPLATE.md":
            continue  # its comments are hints to who fills it in
        body = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.DOTALL)
        body = re.sub(r"<!-- memoria(?: \{|:begin|:end).*?-->", "", body)
        found = [
            token.type for block in parser.parse(body) for token in [block, *(block.children or [])]
        ]
        assert not {"html_block", "html_inline", "image", "link_open"} & set(found), name
