"""What the report page reads: experiments, occasions of rules, sessions without an experiment."""

import pytest
from ledgers import EXPERIMENT, SHOP, captured, ended, keep, started
from ruled import keep as keep_rules, made

from memoria.errors import UsageError
from memoria.evidence import service as study


def test_which_experiment_is_meant(place):
    keep(place, started(), ended(5), started(6, id="x-all", project=""), ended(7, id="x-all"))
    keep(place, started(8, id="x-cli", project="cli"), started(9, id="x-clone", project="clone"))

    def chosen(*arguments):
        return study.choose_experiment(place.work, *arguments).id

    assert chosen("", "cli") == "x-cli"
    assert chosen("", SHOP) == "x-all"  # the last one that reached it
    assert chosen("", "nowhere") == "x-all"
    assert chosen("x-0123") == EXPERIMENT
    assert chosen("X-CLI ") == "x-cli"
    with pytest.raises(UsageError, match="begins several"):
        chosen("x-cl")
    with pytest.raises(UsageError, match="no experiment 'x-zz'"):
        chosen("x-zz")


def test_rules_of_both_arms_are_those_of_the_project(place):
    pinned = made("Always lint", status="active", pinned=True, scope=("cli",))
    keep_rules(place, pinned, approve=True)
    keep_rules(place, made("Never push", status="active", pinned=True, scope=("shop",)))
    rows = {"at": "2026-03-01T00:00:00+00:00", "target": "claude-md", "root": "/r", "sha": ""}
    for number, project in enumerate(("cli", "")):
        own = {"kind": "promote", "path": f"/{number}", "project": project, "ids": [project]}
        keep(place, rows | own)
    found = {key: study.find_rules_in_both_arms(place.work, key) for key in ("cli", "shop")}
    # the other pinned one is not approved here
    assert found == {"cli": (pinned.id, "cli", ""), "shop": ("",)}


def test_a_project_is_named_by_a_part_or_its_folder(place, tmp_path, monkeypatch):
    keep(place, captured("a", 1), captured("b", 2, project="github.com/ana/cli"))
    monkeypatch.chdir(tmp_path)
    assert study.find_project(place.work) == str(tmp_path)
    assert study.find_project(place.work, "cli") == "github.com/ana/cli"
    assert study.find_project(place.work, SHOP) == SHOP
    assert study.find_project(place.work, str(tmp_path)) == str(tmp_path)
    with pytest.raises(UsageError, match="fits several"):
        study.find_project(place.work, "ana")
    with pytest.raises(UsageError, match="give a part of its name, or its folder"):
        study.find_project(place.work, "nowhere")
