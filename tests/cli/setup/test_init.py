"""`memoria init`: what it makes, and the ready set for Obsidian that a person may ask for."""

import json

import yaml


def test_nothing_is_written_for_obsidian_unasked(place):
    place.run("init")
    assert not (place.vault / ".obsidian").exists()
    assert not list(place.vault.glob("*.base"))


def test_the_ready_set_colours_the_folders_and_lists_the_rules(place):
    made = place.json("init", "--obsidian")["created"]
    assert {".obsidian/graph.json", "rules.base"} <= set(made)
    graph = json.loads((place.vault / ".obsidian" / "graph.json").read_text())
    named = {group["query"].removeprefix("path:") for group in graph["colorGroups"]}
    assert {"knowledge/rules/", "daily/"} <= named
    base = yaml.safe_load((place.vault / "rules.base").read_text())
    assert base["filters"] == {"and": ['file.inFolder("knowledge/rules")']}
    assert [view["name"] for view in base["views"]] == ["Waiting", "All rules"]


def test_what_a_person_has_there_stays(place):
    mine = place.vault / ".obsidian" / "graph.json"
    mine.parent.mkdir(parents=True)
    mine.write_text("{}")
    code, _, _ = place.run("init", "--obsidian")
    assert code == 0
    assert mine.read_text() == "{}"
    assert (place.vault / "rules.base").exists()
    assert place.json("init", "--obsidian")["created"] == []
