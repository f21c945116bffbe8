from dataclasses import replace
from datetime import date

import pytest
from cases import cased

from memoria.rules.model import Approval, Rule, in_force, read_rule, rule_id
from memoria.vault.article import parse_article, with_meta

DAY = date(2026, 4, 1)
SHOP, TILL = "github.com/ana/shop", "github.com/ana/till"


def one(text="Lint first", **fields):
    identity = rule_id("workflow", text)
    values = {"status": "active", "frequency": 3, "confidence": "high", "scope": (SHOP,)}
    values |= {"updated": "2026-04-01"} | fields
    return Rule(id=identity, text=text, category="workflow", **values)


@pytest.mark.parametrize(
    ("scope", "project", "holds"),
    [
        ((SHOP,), SHOP, True),
        ((SHOP,), TILL, False),
        ((SHOP,), "", False),
        ((SHOP, TILL), "github.com/ana/third", True),
        ((), SHOP, True),
        ((), "", True),
    ],
)
def test_where_a_rule_holds(scope, project, holds):
    found = one(scope=scope)
    assert bool(in_force([found], {found.id: Approval.of(found)}, project)) is holds


@cased(({"scope": SHOP}, {"scope": (SHOP,)}))
def test_a_note_that_a_person_wrote(meta, fields):
    text = "---\nid: wf-0123456789\n---\n\n# Lint first\n"
    found = read_rule(with_meta(parse_article("rules/lint-first", "rule", text), meta))
    assert {name: getattr(found, name) for name in fields} == fields
    assert (found.text, found.category) == ("Lint first", "workflow")


@cased()
def test_what_is_no_rule(identity):
    article = parse_article("rules/wf-0123456789", "rule", "---\na: 1\n---\n\n# x\n")
    assert read_rule(with_meta(article, {"id": identity})) is None


def test_what_is_in_force_and_in_which_order():
    all_ = [one(f"Rule number {n}", frequency=n) for n in range(6)]
    all_[1] = replace(all_[1], status="active", pinned=True)
    all_[3] = replace(all_[3], status="waiting")
    all_[5] = replace(all_[5], superseded_by=all_[0].id)
    approvals = {found.id: Approval.of(found) for found in all_ if found is not all_[4]}
    approvals[all_[2].id] = Approval.of(one("Another text"))
    assert in_force(all_, approvals, SHOP) == (all_[1], all_[0])
    assert in_force(reversed(all_), approvals, SHOP) == (all_[1], all_[0])


@pytest.mark.parametrize(
    ("value", "approval"),
    [
        # an older Memoria knew the hash alone
        ("0f3a", Approval("0f3a")),
        ({"hash": "0f3a"}, Approval("0f3a")),
        ({"hash": "0f3a", "scope": [], "pinned": True}, Approval("0f3a", (), pinned=True)),
        ({"hash": "0f3a", "scope": [SHOP], "pinned": "yes"}, Approval("0f3a", (SHOP,))),
    ],
)
def test_an_approval_is_read_and_written(value, approval):
    assert Approval.parse(value) == approval
    assert Approval.parse(approval.to_json()) == approval
    assert isinstance(approval.to_json(), str) is (approval.scope is None)
