from datetime import timedelta

import numpy as np
from studies import AT, drawn, unit

from memoria.capture.repeats import Met
from memoria.evidence.charts.figures import NONE
from memoria.evidence.experiment import Experiment
from memoria.evidence.figures import Study, weigh
from memoria.evidence.report.inquiry import inquire
from memoria.evidence.study import Studied
from memoria.evidence.verdict import conclude


def studied(units, *, design="coin", ended=None, project="", **more):
    told = Study("x-1", design, more.get("error_class", ""), more.get("planned"))
    evidence = weigh(units, told, np.random.default_rng(0))
    one = Experiment("x-1", project, design, AT, ended=ended, **more)
    return Studied(one, tuple(units), evidence, conclude(evidence), notes=("a note",))


def names(found):
    return [name for name, _, _ in found.tests]


def test_a_study_gets_its_table_pictures_and_figures():
    found = inquire(studied(drawn(0.5, 0.12, 160)))
    assert (found.name, found.design, found.place, found.span) == (
        "x-1", "coin", "all projects", "since 1 Apr 2026",
    )  # fmt: skip
    assert found.everywhere
    assert found.running
    assert found.sessions == 160
    assert found.verdict.kind == "better"
    assert found.notes == ("a note",)
    assert [figure.name for figure in found.figures] == ["repeats", "rmr", "stake"]
    assert [row[0] for row in found.arms] == ["with Memoria", "without"]
    assert sum(int(row[1]) for row in found.arms) == 160
    assert all(len(row) == len(found.header) + 1 for row in found.arms)
    assert len(set(names(found))) == len(names(found))
    assert {"difference of RMR", "Cohen's h of RMR", "e-value", "two-proportion z and chi-squared",
            "limits of the difference of RMR, in points"} <= set(names(found))  # fmt: skip
    assert "sessions for a power of .8" not in names(found)


def test_a_study_that_has_not_told_yet_says_how_many_sessions_are_missing():
    found = inquire(studied(drawn(0.5, 0.45, 60)))
    assert found.verdict.kind == "not yet"
    assert "sessions for a power of .8" in names(found)
    (limit,) = (means for name, _, means in found.tests if name.startswith("permutation"))
    assert "planned beforehand; here none was" in limit


def test_where_and_when_it_ran():
    ended = AT + timedelta(days=40)
    found = inquire(studied(drawn(0.5, 0.12, 40), ended=ended, project="github.com/ana/shop"))
    assert (found.place, found.span) == ("shop", "1 Apr to 11 May 2026")
    assert not found.running
    assert not found.everywhere


def test_a_person_who_chose_the_arms_gets_facts_and_no_test():
    units = [unit(n, 3, 1, treated=n >= 30, p=float(n >= 30), settled=True) for n in range(60)]
    found = inquire(studied(units, design="before-after"))
    assert [figure.name for figure in found.figures] == ["repeats", "rmr"]
    assert "e-value" not in names(found)
    assert ("test", NONE, "no coin was drawn, so there is no chance to compute with") in found.tests


def test_one_arm_is_no_comparison_and_gets_nothing_to_look_at():
    units = [unit(n, 3, 1, treated=True) for n in range(40)]
    found = inquire(studied(units))
    assert (found.arms, found.figures, found.tests) == ((), (), ())
    assert "nothing to compare with" in found.verdict.sentence


def test_what_stands_beside():
    def met(kind, number):
        return Met(f"user {kind} x{number}", kind, AT, repeat=number % 2 == 0)

    units = [
        unit(
            n,
            met=(met("correction" if n % 3 else "test:x", n),),
            rules=("wf-1",) if n % 2 else (),
            project="shop" if n % 4 else "maps",
        )
        for n in range(24)
    ]
    found = inquire(studied(units))
    assert [row[0] for row in found.parts] == [
        "class correction", "class test", "project shop", "project maps",
    ]  # fmt: skip
    assert found.parts[0][1:] == ("16", "8", "50%")
    assert found.beside == (("wf-1", "0.67", "12", "0.67"),)


def test_nothing_at_all():
    found = inquire(studied([]))
    assert found.sessions == 0
    assert (found.arms, found.figures, found.tests) == ((), (), ())


def test_sessions_without_a_coin_are_not_drawn():
    units = drawn(0.5, 0.12, 80)
    lost = [unit(200 + n, 9, 9, treated=None) for n in range(30)]
    found = inquire(studied([*units, *lost]))
    repeats = found.figures[0]
    assert sum(int(row[2]) for row in repeats.rows) == 80
    assert {row[1] for row in repeats.rows} == {"with Memoria", "without"}
