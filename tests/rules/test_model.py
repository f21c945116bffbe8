from dataclasses import replace

from cases import cased
from ruled import SHOP, made

from memoria.rules.model import Approval, in_force, read_rule
from memoria.vault.article import parse_article, with_meta


def one(text="Lint first", **fields):
    return made(text, **{"status": "active", "frequency": 3} | fields)


@cased()
def test_where_a_rule_holds(scope, project, holds):
    found = one(scope=tuple(scope))
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
