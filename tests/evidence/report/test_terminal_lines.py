"""The report for the terminal: verdict first, each figure with what it means."""

from ledgers import begun, captured, ended, history, mistaken, simulated, started

from memoria.evidence.experiment import experiments
from memoria.evidence.report.terminal_lines import head, report, standings, table
from memoria.evidence.study import study
from memoria.evidence.withholding.by_rule import Standing


def made(*records, outside=()):
    past = history(*records)
    return study(past, experiments(past.of("experiment"))[0], outside)


def text(*records, texts=None, outside=()):
    return "\n".join(report(made(*records, outside=outside), texts or {}))


def test_the_verdict_comes_first_and_the_figures_after_it():
    found = text(*simulated(0.5, 0.12))
    assert found.startswith("The share of mistakes met before fell from 5")
    order = [
        "with Memoria     without",
        "RMR (repeats / mistakes)",
        "With minus without (95% intervals):",
        "limits that hold at every look",
        "Effect sizes:",
        "the buildlog seed's effect size",
        "Cohen's h of RMR",
        "Tests:",
        "20 is evidence, whenever you look",
        "permutation of sessions",
        "two-proportion z-test",
        "Do not decide by them.",
        "By class of mistake, both arms:",
        "Notes:",
    ]
    places = [found.index(word) for word in order]
    assert places == sorted(places)


def test_a_table_of_nothing():
    lines = list(table(made(started())))
    assert "  RMR (repeats / mistakes)             -           -" in lines


def test_what_an_experiment_is():
    def said(*records):
        return head(experiments(records)[0])

    assert said(started(planned=40, error_class="lint")) == (
        "x-0123456789 in github.com/ana/shop: coin p=0.5, mistakes of class lint, 40 sessions "
        "planned; from 2026-03-01 running"
    )
    assert said(started(project="", design="all-on"), ended(30)) == (
        "x-0123456789 in all projects: all-on; from 2026-03-01 to 2026-03-02"
    )
    assert ", phase before; " in said(started(design="before-after"))


def test_rules_are_named_with_their_words_and_no_cause_is_claimed():
    slate = [{"id": "wf-1", "p": 0.9}]
    rows = [
        started(),
        begun("a", 1, slate=slate),
        captured("a", 1),
        begun("b", 2),
        captured("b", 2),
    ]
    rows += [mistaken("a", 1.1, "m", fault="correction")]
    found = text(*rows, texts={"wf-1": "Lint first", "wf-2": "x" * 99}, outside=("wf-2", "wf-3"))
    assert (
        "Rules that go along with corrections (no cause: they are chosen where they fit):\n"
        "  wf-1 (Lint first): 1.00 corrections per session with it (1 sessions), 0.00 without"
    ) in found
    assert f"so both arms have them:\n  wf-2 ({'x' * 80}...)\n  wf-3" in found
    assert found.count("wf-3") == 1


def test_projects_are_told_apart_where_there_are_several():
    rows = [started(project="")]
    for n, project in enumerate(("shop", "cli")):
        rows += [begun(f"s{n}", n + 1, project=project), captured(f"s{n}", n + 1, project=project)]
        rows += [mistaken(f"s{n}", n + 1.1, "m", project=project)]
    assert "By project, both arms:\n  cli: 0 of 1 met before (0%)" in text(*rows)
    assert "By project" not in text(*rows[:4])


def test_a_session_that_is_open_is_said():
    from memoria.evidence import manual_sessions as hand

    one = hand.HandSession(
        "hand-1", "x-0123456789", "shop", "treated", 0.5, made(started()).experiment.started
    )
    assert "Session hand-1 is open (treated, mistakes so far: 0)" in text(
        started(), hand.began(one)
    )


def test_rules_that_earned_their_place_and_rules_to_retire():
    def standing(name, state):
        return Standing(name, 90, 9, 30, 25, 0, None, 50.0, 0.1, state)

    came = "the mistake came back on 9 of 90 occasions with it, on 25 of 30 without"
    found = [standing("wf-1", "earned"), standing("wf-2", "retire"), standing("wf-3", "open")]
    assert list(standings(found, {"wf-1": "Lint first"})) == [
        "",
        "Rules that earned their place:",
        f"  wf-1 (Lint first): {came}",
        "",
        "Rules to retire (a proposal: `memoria retire ID`):",
        f"  wf-2: {came}",
    ]
