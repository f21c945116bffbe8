"""The report where vault and ledger are odd, hostile or empty; goldens have what is usual."""

import re
from datetime import UTC, datetime

import pytest
from studies import AT, seen, trial

from memoria.capture.recurring_errors import find_errors_worth_telling
from memoria.evidence.rates import Rate
from memoria.evidence.study import ExperimentStudy
from memoria.evidence.vault_report import ReportData, render_markdown, sum_costs
from memoria.evidence.verdict import Conclusion, Evidence

EVIL = (
    "<script>alert(1)</script>", '"><img src=http://evil.example/x onerror=alert(1)>',
    "javascript:alert(1)", "{{ 7 * 7 }}", "![x](http://evil.example/y.png)", "[[../../etc/passwd]]",
    "a | b", "`code` <iframe src=x>", "\u202egnp.exe\u200b", "<!-- x --><style>*{}</style>",
    "%%comment%%", "$= dv.current()", "line\nbreak",
)  # fmt: skip


def made(**changes):
    made_at = datetime(2026, 4, 9, 8, 30, tzinfo=UTC)
    values = {"studies": (), "errors": (), "total": Rate(0, 0, 0), "sessions": 3, "days": 1}
    return ReportData(made_at, "x", **values | changes)


def study(name="x-1", *, running=True, sessions=50, said=""):
    experiment = trial(id=name, ended=None if running else AT)
    evidence = Evidence(experiment, Rate(0, 0, 0), Rate(0, 0, 0), sessions=("s",) * sessions)
    return ExperimentStudy(experiment, (), evidence, Conclusion("better", said or name))


def test_nothing_in_the_note_can_act():
    rows = [
        seen(f"Bash exit {text}", f"s{n}", n, line=text, fix=text, mended=n + 2, project=EVIL[0])
        for n in range(3)
        for text in EVIL
    ]
    studies = [study(said=text, running=False) for text in EVIL]
    report = made(
        errors=find_errors_worth_telling(rows), start="\n".join(EVIL), project="<i>x</i>",
        studies=studies,
    )  # fmt: skip
    text = render_markdown(report)
    assert len(report.errors) > 5
    assert not re.search("[\u202e\u200b]", text)
    fence = re.compile(r"(?ms)^(`{3,})text\n.*?^\1$")
    code = re.sub(r"(`+).+?\1", "", fence.sub("", text))  # code is shown as it stands
    assert not re.search(r"<[A-Za-z!/]", code)
    assert not {"](", "%%", "!["} & {code[at : at + 2] for at in range(len(code))}
    assert re.findall(r"(?<!\\)\[\[", code) == []


def test_the_study_is_never_chosen_by_its_outcome():
    over = study("x-1", running=False, sessions=400)
    small, large = study("x-2", sessions=10), study("x-3", sessions=60)
    assert made(studies=[over, small, large]).study is large
    assert made().study is None
    same = study("x-4", sessions=60)
    assert made(studies=[large, same]).study is same


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1, "9", None, 10**400])
def test_a_cost_that_is_none_counts_as_nothing(odd):
    call = {"task": "flush", "input": 5, "output": odd, "cost_usd": odd}
    total = sum_costs([call, {"input": odd}])
    rows = [(row.task, row.calls, row.read, row.written, row.usd) for row in total.rows]
    assert (rows, total.free) == ([("flush", 1, 5, 0, 0.0)], 1)
