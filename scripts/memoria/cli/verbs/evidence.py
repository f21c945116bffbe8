"""Verbs that ask whether Memoria helps."""

from __future__ import annotations

from memoria.cli.verbs.verb import Action, Verb, argument, flag, text, whole

_ABOUT_EXPERIMENT = """actions:
  start        an A/B test: Memoria is on in some sessions, by chance
  switch       turn Memoria on for the second phase of before-after
  end          end it; what is known so far can be reported for ever
  status       all experiments with their sessions
  metrics      the rates of an experiment
  report       verdict, rates, effect sizes, tests, notes [--all: of every one]
  log-mistake  note an error by hand
  session      start or end: track a session outside Claude Code
  export       one row a session

`memoria help experiment ACTION` has the options."""
_DESIGNS = ("coin", "before-after", "all-on")
_PROJECT = text("--project", metavar="P", help="a part of its name, or its folder")
_WHICH = text("--experiment", metavar="ID", help="default: the last one")
_START = (
    text("--error-class", metavar="C", help="only errors of this class: lint, test"),
    argument(
        "--design",
        choices=_DESIGNS,
        default="coin",
        help="coin: by chance (default); before-after: in two phases; all-on: no comparison",
    ),
    text("--p", metavar="P", help="the chance that Memoria is on (default 0.5)"),
    argument(
        "--sessions",
        type=whole,
        metavar="N",
        help="fix their number: one test at the end instead of a look whenever you like",
    ),
    text("--worth", metavar="R", help="smallest fall of repeats worth having (0.33)"),
    argument(
        "--window-days", type=whole, metavar="D", help="how far back a repeat may lie (30 days)"
    ),
    argument("--window-sessions", type=whole, metavar="N", help="the same in sessions (50)"),
    flag("--all-projects", help="not this project alone"),
)
_EXPERIMENT = {
    name: Action(summary, (_PROJECT, *arguments))
    for name, summary, arguments in (
        ("start", "start an experiment", _START),
        ("switch", "turn Memoria on for the second phase of before-after", ()),
        ("end", "end the experiment that runs", ()),
        ("status", "show all experiments", ()),
        ("metrics", "show the rates of an experiment", (_WHICH,)),
        (
            "report",
            "say what an experiment shows",
            (_WHICH, flag("--all", help="all experiments, and all captured and tracked sessions")),
        ),
        (
            "export",
            "print one row a session",
            (
                _WHICH,
                flag("--csv", help="as CSV (the default)"),
                text("-o", "--output", metavar="FILE", help="write it to this file"),
            ),
        ),
        (
            "log-mistake",
            "log an error by hand",
            (
                text("--error-class", metavar="C", help="default: the experiment's"),
                argument("--description", required=True, metavar="D", help="what went wrong"),
                text(
                    "--session", metavar="ID", help="a session of Claude Code that it happened in"
                ),
            ),
        ),
        (
            "session",
            "track a session outside Claude Code",
            (argument("what", choices=("start", "end")),),
        ),
    )
}

TITLE = "does it help?"
VERBS = {
    "experiment": Verb(
        "cli.evidence.experiment",
        "find out whether Memoria helps, by an A/B test",
        "memoria experiment start --error-class lint",
        on_demo=False,
        about=_ABOUT_EXPERIMENT,
        actions=_EXPERIMENT,
    ),
    "backtest": Verb(
        "evidence.backtest.service",
        "count errors that came back although a fix was known",
        "memoria backtest --project shop",
        (
            text("--project", metavar="P", help="projects whose name holds this"),
            argument("--limit", type=whole, default=10, metavar="N", help="rows of the list"),
        ),
    ),
    "report": Verb(
        "cli.evidence.report",
        "write a page: what goes wrong again, and whether Memoria helps",
        "memoria report --open",
        (
            flag("--open", help="show it in the browser"),
            text("-o", "--output", metavar="FILE", help="default reports/report.html in the vault"),
            argument(
                "--format",
                choices=("html", "markdown"),
                default="",
                help="default html (markdown for .md)",
            ),
            text("--project", metavar="P", help="projects whose name holds this"),
        ),
    ),
}
