"""The vault of the samples as Obsidian reads it: links resolve, properties are of one type."""

import re

import pytest
import yaml
from markdown_it import MarkdownIt


@pytest.fixture
def notes(place):
    place.run("start")
    return {name: data.decode("utf-8") for name, data in place.files().items()}


def test_every_wikilink_resolves(notes):
    paths = {name.removesuffix(".md") for name in notes}
    known = paths | {path.removeprefix("knowledge/") for path in paths}
    dead = [
        (name, target)
        for name, text in notes.items()
        for target in re.findall(r"\[\[([^\]|#]+)", re.sub(r"`[^`\n]*`", "", text))
        if target not in known
    ]
    assert dead == []


def test_properties_are_valid_and_of_one_type(notes):
    types: dict[str, set[type]] = {}
    for name, text in notes.items():
        if text.startswith("---\n"):
            front = yaml.safe_load(text.split("---\n")[1])
            for key, value in front.items():
                types.setdefault(key, set()).add(type(value))
            assert all(re.fullmatch(r"[\w/-]+", tag) for tag in front.get("tags", [])), name
    assert {key: found for key, found in types.items() if len(found) > 1} == {}


def test_nothing_in_it_is_active(notes):
    parser = MarkdownIt("commonmark", {"html": True})
    for name, text in notes.items():
        if name == "daily/_TEMPLATE.md":
            continue  # its comments are hints to who fills it in
        body = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.DOTALL)
        body = re.sub(r"<!-- memoria \{.*?\} -->", "", body)
        found = [
            token.type for block in parser.parse(body) for token in [block, *(block.children or [])]
        ]
        assert not {"html_block", "html_inline", "image", "link_open"} & set(found), name


def test_every_article_is_in_the_index_and_has_a_source(notes):
    index = notes["knowledge/index.md"]
    for name, text in notes.items():
        path = name.removeprefix("knowledge/").removesuffix(".md")
        if name.startswith("knowledge/") and "/" in path:
            assert f"| [[{path}]] |" in index
            assert "[[daily/" in text
