"""The report where vault and ledger are odd, hostile or empty; goldens have what is usual."""

import re
from datetime import UTC, datetime

import pytest
from ruled import made as rule
from studies import AT, seen, trial, unit

from memoria.evidence.backtest import RepeatedErrors, backtest, repeated_errors
from memoria.evidence.figures import Evidence
from memoria.evidence.rates import Rate
from memoria.evidence.report.markdown import markdown
from memoria.evidence.report.model_costs import Costs, costs
from memoria.evidence.report.report_data import Opening, ReportData, RuleRecords, rule_records
from memoria.evidence.report.tables import parts
from memoria.evidence.study import Studied
from memoria.evidence.verdict import Conclusion

EVIL = (
    "<script>alert(1)</script>", '"><img src=http://evil.example/x onerror=alert(1)>',
    "javascript:alert(1)", "{{ 7 * 7 }}", "![x](http://evil.example/y.png)", "[[../../etc/passwd]]",
    "a | b", "`code` <iframe src=x>", "\u202egnp.exe\u200b", "<!-- x --><style>*{}</style>",
    "%%comment%%", "$= dv.current()", "line\nbreak",
)  # fmt: skip
A, B = rule("Run the linter", status="active"), rule("Never push to main", status="active")


def records(rules=(A, B), in_force=frozenset({A.id}), beliefs=None, given=()):
    earned = {
        one.id: {"posterior": (beliefs or {}).get(one.id, {}), "rewards": given} for one in rules
    }
    return rule_records(rules, in_force, earned)


def made(texts=("Run the linter",), path="rules/run-the-linter", **changes):
    rules = tuple(rule(text, status="active", path=path) for text in texts)
    found = [
        seen(f"Bash exit {text}", f"s{n}", n, fix=text, mended=n + 2, project=texts[0])
        for n in range(2)
        for text in texts
    ]
    ids = {one.id for one in rules}
    values = {
        "made": datetime(2026, 4, 9, 8, 30, tzinfo=UTC), "scope": "x", "studies": (),
        "rules": records(rules, ids, {name: {"shown": 3} for name in ids}),
        "errors": repeated_errors(found, {}), "replay": backtest(found),
        "sessions": 3, "days": 1, "costs": Costs(), "opening": Opening(), "by_id": {},
    }  # fmt: skip
    return ReportData(**values | changes)


def study(name="x-1", *, running=True, sessions=50, kind="not yet"):
    experiment = trial(id=name, ended=None if running else AT)
    evidence = Evidence(experiment, Rate(0, 0, 0), Rate(0, 0, 0), sessions=("s",) * sessions)
    return Studied(experiment, (), evidence, Conclusion(kind, f"The verdict of {name}."))


# -- The note --------------------------------------------------------------------------------------


def test_nothing_in_the_note_can_act():
    opening = Opening(told="\n".join(EVIL), project="<i>x</i>", sessions=2)
    text = markdown(made(EVIL, opening=opening))
    assert not re.search("[\u202e\u200b]", text)
    fence = re.compile(r"(?ms)^(`{3,})text\n.*?^\1$")
    code = re.sub(r"(`+).+?\1", "", fence.sub("", text))  # code is shown as it stands
    assert not re.search(r"<[A-Za-z!/]", code)
    assert not {"](", "%%", "!["} & {code[at : at + 2] for at in range(len(code))}
    assert re.findall(r"(?<!\\)\[\[", code) == []


def test_every_row_has_as_many_cells_as_its_table():
    lines = markdown(made(EVIL)).splitlines()
    width = 0
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|"):
            width = width or cells
            assert cells == width, line
        else:
            width = 0
            assert not after.startswith("|") or not line, f"no empty line before the table: {line}"


def test_links_lead_to_notes_that_are_there():
    assert "[[rules/run-the-linter\\|" in markdown(made(), {"rules/run-the-linter"})
    assert "[[" not in markdown(made(), set())


def test_a_note_without_anything_has_no_tables():
    nothing = {
        "rules": RuleRecords(), "errors": RepeatedErrors(), "sessions": 0,
        "replay": backtest([]),
    }  # fmt: skip
    text = markdown(made(**nothing))
    assert "memoria import" in text
    assert "|" not in text


def test_the_study_is_never_chosen_by_its_outcome():
    over = study("x-1", running=False, sessions=400, kind="better")
    small = study("x-2", sessions=10, kind="better")
    large = study("x-3", sessions=60, kind="worse")
    report = made(studies=[over, small, large])
    assert (report.study, report.others) == (large, [small, over])
    assert (made().study, made().others) == (None, [])
    same = study("x-4", sessions=60)
    assert made(studies=[large, same]).study is same


# -- Its parts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1, "9", None, 10**400])
def test_a_cost_that_is_none_counts_as_nothing(odd):
    found = costs([{"task": "flush", "input": 5, "output": odd, "cost_usd": odd}, {"input": odd}])
    rows = [(row.task, row.calls, row.read, row.written, row.usd) for row in found.rows]
    assert (rows, found.free) == ([("flush", 1, 5, 0, 0.0)], 1)


@pytest.mark.parametrize(
    ("belief", "said"),
    [
        ({"mean": 0.5, "sd": 0.1, "shown": 2}, "\u00d71.65 (1.36 to 2.01)"),
        ({"mean": 0.5, "sd": 0.1, "shown": 0, "withheld": 1}, "not tried yet"),
        *(
            ({"shown": 2, "mean": mean, "sd": sd}, "not tried yet")
            for mean, sd in (("x", 1), (10.0, 1), (0.1, 0), (0.1, 10), (float("nan"), 1))
        ),
    ],
)
def test_only_a_sound_belief_on_a_tried_rule_is_shown(belief, said):
    (row,) = records(beliefs={A.id: belief}).rows
    assert (row.cells[2:4], row.status) == (("not yet", said), "active")


def test_a_rule_that_is_not_active_here_says_so_and_rewards_are_counted():
    given = [{"reward": value} for value in (1, 1, 0, -1)]
    row = records((B,), given=given).rows[0]
    assert (row.status, row.cells[2]) == (
        "active, not active here",
        "2 helped, 1 did not, 1 hurt",
    )


def test_projects_of_one_name_are_told_apart_and_the_rest_is_summed_up():
    names = ["/home/ana/code/cli", "/home/bo/code/cli", "/srv/other/cli"]
    names += [f"/srv/shop-{number}" for number in range(7)]
    found = [unit(at, 2, 1, project=name) for at, name in enumerate(names)]
    rows = {name: (errors, repeats) for name, errors, repeats, _ in parts(found).rows}
    own = [f"project {name}" for name in ("ana/code/cli", "bo/code/cli", "other/cli")]
    assert [name for name in rows if name.endswith("cli")] == own
    assert rows["project shop-0"] == ("2", "1")
    assert rows["the other projects"] == ("4", "2")
