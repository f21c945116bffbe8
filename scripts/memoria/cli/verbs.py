"""The table of the verbs: which module does it, what it says of itself, which options it takes.

A verb's module is named here and imported when it is called, so that `memoria --help` is quick.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

CATEGORIES = ("architectural", "workflow", "tool_usage", "domain_knowledge")
TARGETS = ("claude-md", "settings", "skill", "rules", "agents-md", "agents-skill")
BACKENDS = ("token", "wordllama", "sentence-transformers", "openai")


class Verb(NamedTuple):
    """A verb: its module below memoria, what it does, an example, its own options.

    `on_demo` is False for a verb that joins a vault to sessions, which the demo vault never is.
    """

    module: str
    summary: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    on_demo: bool = True


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--audit",
        action="store_true",
        help="look through vault and state for secrets, open modes, active content and unapproved "
        "rules instead; 1 for errors, 0 for warnings alone",
    )


def _none(_: argparse.ArgumentParser) -> None:
    return


def _init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default="", metavar="DIR", help="default ~/memoria")
    _state(parser)


def _demo(parser: argparse.ArgumentParser) -> None:
    # neither the environment nor the current folder may put the samples into a person's vault
    parser.set_defaults(vault="~/memoria-demo")
    parser.add_argument(
        "folder", nargs="?", default="", metavar="DIR", help="default ~/memoria-demo"
    )
    parser.add_argument("--remove", action="store_true", help="delete it, with all that is in it")


def _state(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--state",
        default="",
        metavar="DIR",
        help="keep this machine's state of the vault there (default: your own state folder)",
    )


def _dry(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="show the change, write nothing")


def _install(parser: argparse.ArgumentParser) -> None:
    _dry(parser)
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--user", action="store_true", help="in your own settings, for every project (the default)"
    )
    place.add_argument(
        "--project",
        action="store_true",
        help="in .claude/settings.local.json of the current folder: for sessions started there",
    )


def _hooks(parser: argparse.ArgumentParser) -> None:
    _install(parser)
    parser.add_argument(
        "--without",
        action="append",
        choices=("prompt", "failure"),
        default=[],
        help="leave out an optional hook (may be repeated)",
    )
    _state(parser)


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="source",
        metavar="PATH",
        help="a folder of transcripts, or a buildlog: its entries and decisions",
    )
    parser.add_argument("--since", metavar="DATE", help="only sessions that ended on or after it")
    parser.add_argument("--project", metavar="P", help="only projects whose name holds this")
    parser.add_argument(
        "--limit", type=_count, metavar="N", help="at most N sessions, oldest first"
    )


def _flush(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sweep", action="store_true", help="also find sessions no hook told of")
    parser.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)


def _compile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="compile all entries again")
    parser.add_argument("--file", metavar="LOG", default="", help="only this log: daily/DATE.md")
    parser.add_argument("--dry-run", action="store_true", help="print the patch, write nothing")


def _lint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--structural-only", action="store_true", help="only the checks that need no model"
    )
    parser.add_argument("--fix", action="store_true", help="mend what code can mend safely")


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for")
    parser.add_argument("-k", type=_count, default=10, metavar="N", help="at most N results")
    parser.add_argument(
        "--scope", choices=("articles", "daily", "all"), default="all", help="where to look"
    )
    parser.add_argument("--project", default="", metavar="P", help="projects whose name holds this")
    parser.add_argument("--since", default="", metavar="DATE", help="dated on or after it")
    parser.add_argument("--kind", default="", metavar="K", help="concept, rule, qa, entry, ...")
    parser.add_argument("--tag", default="", metavar="T", help="articles with this tag")
    parser.add_argument(
        "--vectors", action="store_true", help="count meaning, too (needs the extra wordllama)"
    )


def _query(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="+", metavar="QUESTION", help="what you want to know")
    parser.add_argument(
        "--file-back", action="store_true", help="keep the answer as a note under knowledge/qa/"
    )


def _new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "slug", nargs="?", default="", metavar="SLUG", help="default: from the session's title"
    )
    parser.add_argument(
        "--date",
        default="",
        metavar="DATE",
        help="its day (default today, with --from-session the session's)",
    )
    parser.add_argument(
        "--from-session",
        default="",
        metavar="ID",
        help="fill it from a captured session: 8 characters of its id, or `latest`",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the entry, write nothing")


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", default="", metavar="DATE", help="dated on or after it")


def _distill(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="", metavar="FILE", help="a .json or .yaml file")
    parser.add_argument("--since", default="", metavar="DATE", help="entries dated on or after it")
    parser.add_argument(
        "--category",
        default="",
        metavar="C",
        help="architectural, workflow, tool_usage, domain_knowledge, or one of your own",
    )


def _skills(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="", metavar="FILE", help="write it to this file")
    parser.add_argument(
        "--format", choices=("yaml", "json", "markdown"), default="", help="default yaml"
    )
    parser.add_argument(
        "--min-frequency", type=_count, default=1, metavar="N", help="seen in N sessions or more"
    )
    parser.add_argument("--since", default="", metavar="DATE", help="entries dated on or after it")
    parser.add_argument(
        "--embeddings", choices=BACKENDS, default="token", help="what finds paraphrases"
    )
    parser.add_argument(
        "--explain", action="store_true", help="say what was merged, and what nearly was"
    )


def _stats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--detailed", action="store_true", help="weeks, months, top sources, all recurring mistakes"
    )


def _status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--category", choices=CATEGORIES, default="", help="only this category")


def _promote(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="rules (default: those in force)")
    parser.add_argument(
        "--target",
        choices=TARGETS,
        default="claude-md",
        metavar="T",
        help="claude-md (default), agents-md, rules, skill, agents-skill, or settings: a "
        "SessionStart hook that prints the rules, since Claude Code reads no key of its own "
        "settings as instructions",
    )
    parser.add_argument("--dir", default="", metavar="DIR", help="the project (default: this one)")
    parser.add_argument("--name", default="", metavar="NAME", help="of the skill (target skill)")
    parser.add_argument(
        "--global",
        dest="everywhere",
        action="store_true",
        help="your own file for all projects, in the client's folder",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="also where the marked part was edited by hand or on another machine; the old part is "
        "kept aside",
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change, write nothing")


def _ids(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", help="a rule's id, or how it begins")


def _review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=_count, metavar="N", help="at most N rules")


def _learn(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from-review", required=True, metavar="FILE", help="a code review's text; - for stdin"
    )
    parser.add_argument(
        "--global", dest="everywhere", action="store_true", help="for all projects, not this one"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the rules, write nothing")


def _remember(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the rule, in quotes")
    parser.add_argument("--pin", action="store_true", help="into every session, without question")
    parser.add_argument(
        "--global", dest="everywhere", action="store_true", help="in all projects, not this one"
    )
    parser.add_argument("--category", default="", metavar="C", help="one of the four categories")


def _reward(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a rule's id, or how it begins")
    parser.add_argument(
        "reward", choices=("1", "0", "-1"), help="1 helped, 0 did not help, -1 hurt"
    )
    parser.add_argument("--context", default="", metavar="C", help="what it was about: type-errors")
    parser.add_argument("--outcome", default="", metavar="TEXT", help="what came of it")
    parser.add_argument("--session", default="", metavar="S", help="the session it is about")


def _rewards(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="only this rule")


def _why(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="ID|PATH[:LINE]", help="a rule, or a line of the vault")


def _supersede(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="the rule that holds no more")
    parser.add_argument("new", metavar="NEW", help="the rule that overrules it: id, or its words")


_EXPERIMENT = """actions:
  start        [--error-class C] [--design coin|before-after|all-on] [--p 0.5] [--sessions N]
               [--worth R] [--window-days D] [--window-sessions N] [--all-projects]
  switch       turn Memoria on for the second phase of before-after
  end          end it; what is known so far can be reported for ever
  status       all experiments with their sessions
  metrics      the rates of an experiment   [--experiment ID]
  report       verdict, rates, effect sizes, tests, notes   [--experiment ID]
  log-mistake  --description D [--error-class C] [--session ID]
  session      start or end: track a session outside Claude Code
  export       one row a session   [--csv] [-o FILE] [--experiment ID]

All take --project P (a part of its name, or its folder; default: that of the current folder).
`memoria experiment ACTION --help` says more."""
DESIGNS = ("coin", "before-after", "all-on")


def _experiment(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = f"{parser.description}\n\n{_EXPERIMENT}"
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        found = actions.add_parser(name, help=summary, description=f"{summary}.".capitalize())
        found.add_argument(
            "--project", default="", metavar="P", help="a part of its name, or its folder"
        )
        return _again(found)

    _experiment_start(action("start", "start an experiment"))
    action("switch", "turn Memoria on for the second phase of before-after")
    action("end", "end the experiment that runs")
    action("status", "show all experiments")
    for name, summary in (
        ("metrics", "show the rates of an experiment"),
        ("report", "say what an experiment shows"),
        ("export", "print one row a session"),
    ):
        reader = action(name, summary)
        reader.add_argument("--experiment", default="", metavar="ID", help="default: the last one")
    reader.add_argument("--csv", action="store_true", help="as CSV (the default)")
    reader.add_argument("-o", "--output", default="", metavar="FILE", help="write it to this file")
    logged = action("log-mistake", "log a mistake by hand")
    logged.add_argument("--error-class", default="", metavar="C", help="default: the experiment's")
    logged.add_argument("--description", required=True, metavar="D", help="what went wrong")
    logged.add_argument(
        "--session", default="", metavar="ID", help="a session of Claude Code that it was made in"
    )
    tracked = action("session", "track a session outside Claude Code")
    tracked.add_argument("what", choices=("start", "end"))


def _experiment_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--error-class", default="", metavar="C", help="only mistakes of this class: lint, test"
    )
    parser.add_argument(
        "--design",
        choices=DESIGNS,
        default="coin",
        help="how a session comes to its arm: by a coin (default), by phases, or all in one",
    )
    parser.add_argument("--p", default="", metavar="P", help="the coin's chance (default 0.5)")
    parser.add_argument(
        "--sessions",
        type=_count,
        metavar="N",
        help="fix their number: one test at the end instead of a look whenever you like",
    )
    parser.add_argument(
        "--worth", default="", metavar="R", help="smallest fall of repeats worth having (0.33)"
    )
    parser.add_argument(
        "--window-days", type=_count, metavar="D", help="how far back a repeat may lie (30 days)"
    )
    parser.add_argument(
        "--window-sessions", type=_count, metavar="N", help="the same in sessions (50)"
    )
    parser.add_argument("--all-projects", action="store_true", help="not this project alone")


_GUARD = """actions:
  list             all rules that have a check, and which stand guard here
  on ID            let it stand guard   [--mode note|bump|ask|deny] (default bump)
  off ID           let it stand guard no more
  mode ID MODE     note: told after the call; bump: refused once, the same call again passes;
                   ask: the client asks you; deny: refused each time (in a terminal)
  explain ID       its check in words, and what it did so far
  test ID          what it would have done in the sessions so far
  suggest [ID]     checks for rules that name a command, an option, a path or a kind of file"""


def _guard(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = f"{parser.description}\n\n{_GUARD}"
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name in ("list", "on", "off", "mode", "explain", "test", "suggest"):
        action = _again(actions.add_parser(name, help=f"see memoria guard --help: {name}"))
        if name == "suggest":
            action.add_argument("id", nargs="?", default="", metavar="ID")
        elif name != "list":
            action.add_argument("id", metavar="ID", help="a rule's id, or how it begins")
        if name == "mode":
            action.add_argument("mode", choices=_MODES)
        elif name == "on":
            action.add_argument("--mode", choices=_MODES, default="", help="default bump")
        elif name in {"test", "suggest"}:
            action.add_argument(
                "--from", dest="source", default="", metavar="DIR", help="other transcripts"
            )
        if name == "suggest":
            action.add_argument("--dry-run", action="store_true", help="write nothing")


_MODES = ("note", "bump", "ask", "deny")


def _again(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Let the options of every verb stand behind an action, too."""
    for name in ("--vault", "--engine"):
        parser.add_argument(name, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    for name in ("--json", "--trust", "--quiet"):
        parser.add_argument(
            name, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser


def _cost(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", default="", metavar="DATE", help="calls made on or after it")


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish", "powershell"), help="your shell")


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", default="", metavar="FILE", help="write to it (default: print)"
    )
    parser.add_argument(
        "--format", choices=("markdown", "jsonl"), default="", help="default by FILE, else markdown"
    )
    parser.add_argument("--rules", action="store_true", help="only the rules")
    parser.add_argument("--articles", action="store_true", help="only the articles")
    parser.add_argument("--project", default="", metavar="P", help="projects whose name holds this")
    parser.add_argument("--since", default="", metavar="DATE", help="updated on or after it")


def _backtest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", default="", metavar="P", help="projects whose name holds this")
    parser.add_argument("--limit", type=_count, default=10, metavar="N", help="rows of the list")


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.add_argument(
        "-o",
        "--output",
        default="",
        metavar="FILE",
        help="default reports/report.html in the vault",
    )
    parser.add_argument(
        "--format", choices=("html", "markdown"), default="", help="default html (markdown for .md)"
    )
    parser.add_argument("--project", default="", metavar="P", help="projects whose name holds this")


def _undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "step", nargs="?", type=_count, metavar="STEP", help="its number (default: the last one)"
    )
    parser.add_argument("--list", action="store_true", help="show the steps, newest first")
    parser.add_argument("--dry-run", action="store_true", help="show the change, write nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="show all lines that wait")
    parser.add_argument("--yes", action="store_true", help="adopt all that is shown, do not ask")


def _forget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="?", default="", metavar="SESSION|PROJECT", help="a session's id, a project"
    )
    parser.add_argument("--match", default="", metavar="TEXT", help="all that holds this text")
    parser.add_argument("--since", default="", metavar="DATE", help="what was captured since")
    parser.add_argument("--dry-run", action="store_true", help="show what goes, change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")


VERBS = {
    "start": Verb(
        "cli.setup.start",
        "make a vault and fill it from your sessions",
        "memoria start",
        _import,
        on_demo=False,
    ),
    "demo": Verb(
        "cli.setup.demo",
        "show what it does on sample sessions, in a folder of its own",
        "memoria demo",
        _demo,
    ),
    "init": Verb("cli.setup.init", "make a vault", "memoria init ~/memoria", _init),
    "install": Verb(
        "cli.setup.install",
        "capture the sessions of every project from now on",
        "memoria install --vault ~/memoria --dry-run",
        _hooks,
        on_demo=False,
    ),
    "uninstall": Verb(
        "cli.setup.uninstall",
        "take the hooks out again, to the byte",
        "memoria uninstall",
        _install,
    ),
    "update": Verb(
        "cli.setup.update",
        "bring the vault and its hooks to this version; your own changes stay",
        "memoria update --dry-run",
        _dry,
    ),
    "import": Verb(
        "cli.importing.sessions",
        "bring in the sessions that the client still has, or a buildlog",
        "memoria import --since 2026-01-01",
        _import,
        on_demo=False,
    ),
    "flush": Verb(
        "cli.flush",
        "write captured sessions into the daily logs now",
        "memoria flush",
        _flush,
        on_demo=False,
    ),
    "compile": Verb(
        "compile.service",
        "turn new entries into articles and rules",
        "memoria compile --file daily/2026-04-01.md --dry-run",
        _compile,
    ),
    "search": Verb(
        "search.service",
        "find articles and entries by their words",
        'memoria search "token expiry" -k 5 --scope articles',
        _search,
    ),
    "query": Verb(
        "search.ask",
        "answer a question from the vault, with links to where it stands",
        'memoria query "How long do session tokens last?" --file-back',
        _query,
    ),
    "lint": Verb(
        "lint.service", "check the vault's health", "memoria lint --structural-only --fix", _lint
    ),
    "new": Verb("cli.new", "begin an entry of your own", "memoria new --from-session latest", _new),
    "list": Verb(
        "rules.insights.list_entries",
        "list all entries, yours and the captured ones",
        "memoria list",
        _list,
    ),
    "distill": Verb(
        "rules.insights.distill",
        "extract the insights of all entries by category",
        "memoria distill --since 2026-01-01 -o patterns.yaml",
        _distill,
    ),
    "skills": Verb(
        "rules.skills",
        "merge insights and rules into skills for an agent",
        "memoria skills --format markdown --min-frequency 2",
        _skills,
    ),
    "stats": Verb(
        "rules.insights.stats", "show coverage, streaks and blind spots", "memoria stats", _stats
    ),
    "status": Verb(
        "cli.decide.status", "show the rules and which are in force", "memoria status", _status
    ),
    "diff": Verb(
        "cli.decide.status", "show the rules that wait for your decision", "memoria diff", _none
    ),
    "review": Verb(
        "rules.review.service",
        "decide about waiting rules, one key each",
        "memoria review",
        _review,
    ),
    "remember": Verb(
        "cli.decide.remember",
        "teach a rule, in force from the next prompt on",
        'memoria remember "Always run the linter before you commit" --pin',
        _remember,
    ),
    "learn": Verb(
        "rules.from_review.service",
        "take rules out of a code review, for your decision",
        "memoria learn --from-review review.txt",
        _learn,
    ),
    "promote": Verb(
        "rules.promotion.service",
        "approve rules and write them into CLAUDE.md or another file that agents read",
        "memoria promote wf-96f12966f1 --target skill",
        _promote,
    ),
    "trust": Verb(
        "cli.decide.trust",
        "adopt what you wrote on another machine or in your editor",
        "memoria trust",
        _trust,
    ),
    "guard": Verb(
        "cli.guard",
        "let a rule stand guard over tool calls",
        "memoria guard on wf-96f12966f1",
        _guard,
    ),
    "reject": Verb(
        "cli.decide.reject",
        "put rules aside that never were any",
        "memoria reject wf-96f12966f1",
        _ids,
    ),
    "retire": Verb(
        "cli.decide.reject",
        "take rules out of force that had their time",
        "memoria retire wf-96f1",
        _ids,
    ),
    "supersede": Verb(
        "cli.decide.supersede",
        "close a rule that another one overrules",
        "memoria supersede wf-96f12966f1 wf-0a1b2c3d4e",
        _supersede,
    ),
    "reward": Verb(
        "cli.evidence.reward",
        "say whether a rule helped",
        'memoria reward wf-96f12966f1 1 --context type-errors --outcome "caught it"',
        _reward,
    ),
    "rewards": Verb("cli.evidence.reward", "show what rules earned", "memoria rewards", _rewards),
    "why": Verb(
        "search.sources.service",
        "trace a rule or a line back to the session it came from",
        "memoria why knowledge/concepts/token-expiry.md:12",
        _why,
    ),
    "undo": Verb(
        "cli.undo",
        "take back the last compile, filed answer, promotion or decision",
        "memoria undo --dry-run",
        _undo,
    ),
    "export": Verb(
        "cli.export",
        "write rules and articles into one Markdown file, or as JSON Lines",
        "memoria export --rules -o rules.md",
        _export,
    ),
    "mcp": Verb(
        "mcp.server",
        "serve the vault to Claude Code, Claude Desktop and other MCP clients, which start it",
        "memoria mcp --vault ~/memoria",
        _none,
        on_demo=False,
    ),
    "forget": Verb(
        "cli.forgetting.service",
        "remove a session, a project or a text from everywhere, for good",
        "memoria forget --match 'Project Nightjar' --dry-run",
        _forget,
    ),
    "experiment": Verb(
        "cli.evidence.experiment",
        "find out whether Memoria helps: a study over your sessions",
        "memoria experiment start --error-class lint",
        _experiment,
        on_demo=False,
    ),
    "backtest": Verb(
        "evidence.backtest.service",
        "replay the captured sessions: what came back, and what was known by then",
        "memoria backtest --project shop",
        _backtest,
    ),
    "report": Verb(
        "cli.evidence.report",
        "write the page that says whether Memoria helps, with what it rests on",
        "memoria report --open",
        _report,
    ),
    "cost": Verb(
        "cli.evidence.cost",
        "show tokens and money by day and operation",
        "memoria cost --since 2026-04-01",
        _cost,
    ),
    "completion": Verb(
        "cli.completion",
        "print what lets your shell complete verbs and options",
        "memoria completion bash > ~/.local/share/bash-completion/completions/memoria",
        _completion,
    ),
    "doctor": Verb(
        "cli.doctor",
        "say whether capture works, and what is wrong if not",
        "memoria doctor",
        _doctor,
        on_demo=False,
    ),
}

_GROUPED = {
    "begin": ("start", "demo", "init", "install", "update", "uninstall", "import"),
    "the loop (hooks do it for you)": ("flush", "compile", "search", "query", "lint"),
    "the notebook": ("new", "list", "distill", "skills", "stats"),
    "the rules": (
        *("status", "diff", "review", "remember", "learn", "promote", "reject", "retire"),
        *("supersede", "why", "trust", "guard", "reward", "rewards"),
    ),
    "does it help?": ("experiment", "backtest", "report"),
}
# what --help shows; what stands in no group keeps the vault in order
GROUPS = _GROUPED | {
    "upkeep": tuple(verb for verb in VERBS if not any(verb in one for one in _GROUPED.values()))
}
