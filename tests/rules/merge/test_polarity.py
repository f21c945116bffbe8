import pytest

from memoria.rules.merge.polarity import clauses, times


def read(text):
    """Give the concepts with their signs, by role."""
    found = {}
    for clause in clauses(text):
        sign = "+" if clause.sign > 0 else "-"
        found.setdefault(clause.role, []).extend(sign + word.concept for word in clause.words)
    return found


@pytest.mark.parametrize(
    ("text", "clauses_"),
    [
        ("Commit secrets", {"main": ["+commit", "+secret"]}),
        ("Never commit secrets", {"main": ["-commit", "-secret"]}),
        ("Secrets must never be committed", {"main": ["-secret", "-commit"]}),
        ("Don't commit secrets", {"main": ["-commit", "-secret"]}),
        ("Avoid committing secrets", {"main": ["-commit", "-secret"]}),
        ("Refrain from committing secrets", {"main": ["-commit", "-secret"]}),
        ("Stop committing secrets", {"main": ["-commit", "-secret"]}),
        ("Committing secrets is forbidden", {"main": ["-commit", "-secret"]}),
        ("Committing secrets: forbidden", {"main": ["-commit", "-secret"]}),
        ("Not only commit secrets", {"main": ["+commit", "+secret"]}),
        ("No global state", {"main": ["-global state"]}),
        ("Disable telemetry", {"main": ["-remove", "-telemetry"]}),
        ("Never disable telemetry", {"main": ["+remove", "+telemetry"]}),
        ("Keep secrets out of logs", {"main": ["-secret", "-log"]}),
        ("Turn telemetry off", {"main": ["-telemetry"]}),
        ("Use tabs, not spaces", {"main": ["+tab", "-space"]}),
        ("Use pnpm, never npm", {"main": ["+pnpm", "-npm"]}),
        ("Prefer tabs over spaces", {"main": ["+tab"], "other": ["-space"]}),
        ("Use tabs instead of spaces", {"main": ["+tab"], "other": ["-space"]}),
        ("Use tabs rather than spaces for code", {"main": ["+tab", "+code"], "other": ["-space"]}),
        ("Deploy without downtime", {"main": ["+deploy"], "other": ["-downtime"]}),
        ("Replace tabs with spaces", {"main": ["+replace", "+space"], "other": ["-tab"]}),
        ("Functions without side effects", {"main": ["+function"], "other": ["-side effect"]}),
        ("Modules stay free of cycles", {"main": ["-modul", "-cycl"]}),
        ("Delete code that is not tested", {"main": ["-remove", "-code"], "other": ["+test"]}),
    ],
)
def test_what_is_wanted(text, clauses_):
    assert read(text) == clauses_


@pytest.mark.parametrize(
    ("text", "early", "late"),
    [
        ("Run tests before pushing", {"run", "test"}, {"push"}),
        ("Before pushing, run tests", {"run", "test"}, {"push"}),
        ("before pushing run tests", {"run", "test"}, {"push"}),
        ("Run tests prior to pushing", {"run", "test"}, {"push"}),
        ("Push after running tests", {"run", "test"}, {"push"}),
        ("Once tests pass, push", {"test", "succeed"}, {"push"}),
        ("Never push without running tests", {"run", "test"}, {"push"}),
        ("Do not push until tests pass", {"test", "succeed"}, {"push"}),
        ("Do not push before running tests", {"run", "test"}, {"push"}),
        ("Push before running tests", {"push"}, {"run", "test"}),
        ("Delete data without asking", set(), set()),
        ("Run tests", set(), set()),
    ],
)
def test_what_comes_first(text, early, late):
    assert times(clauses(text)) == (early, late)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Ask when requirements are unclear", "case"),
        ("Use early returns to reduce nesting", "aside"),
        ("Use names, because they help readers", "aside"),
        ("Reduce nesting by returning early", "aside"),
    ],
)
def test_cases_and_reasons_are_no_orders(text, role):
    found = {clause.role: clause.firm for clause in clauses(text)}
    assert found["main"]
    assert not found[role]


def test_what_a_gate_asks_for_is_firm():
    assert all(clause.firm for clause in clauses("Never push without running tests"))
    assert all(clause.sign == 1 for clause in clauses("Never push without running tests"))
