"""`memoria team` from end to end: what ana's sessions found out reaches ben's, as a report."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from notes import entry
from place import PERSON, Place, state_of
from teams import Folder, line

from memoria.hooks import prompt_answer
from memoria.team.fact import encode
from memoria.team.membership_store import without_password
from memoria.terminal_driver import Driver


def person(root, capsys, monkeypatch, name):
    home = root / name
    (home / "home").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home / "home"))
    monkeypatch.setenv("USERPROFILE", str(home / "home"))
    place = Place(home, capsys)
    code, _, err = place.run("init", str(place.vault))
    assert code == 0, err
    return place


@pytest.mark.parametrize(
    "address",
    ["postgresql://ana:s3cr@t@host/db", "host=h password=s3cret user=ana", "postgresql://h/db?password=s3cret"],
)
def test_an_address_is_shown_without_its_password(address):
    assert "s3cr" not in without_password(address)


def test_only_a_person_joins(tmp_path, capsys, monkeypatch):
    ana = person(tmp_path, capsys, monkeypatch, "ana")
    shared = tmp_path / "shared"
    shared.mkdir()
    by_agent = replace(ana, driver=Driver("CLAUDECODE is set"))
    code, _, err = by_agent.run("team", "join", str(shared), "--name", "ana")
    assert code == 0
    assert "Proposed, not done" in err
    assert not (state_of(ana.vault, ana.home) / "team.json").exists()
    assert PERSON.is_person
