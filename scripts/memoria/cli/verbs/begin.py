"""Verbs that make a vault and join it to sessions."""

from __future__ import annotations

from memoria.cli.verbs.verb import DRY_RUN, Verb, argument, either, flag, text, whole

# as agents/port.py has them; loading that would load their readers at every start
AGENTS = ("claude-code", "codex", "copilot", "gemini", "opencode")
_AGENT = argument(
    "--agent",
    choices=AGENTS,
    default="claude-code",
    help="whose hooks (default claude-code)",
)
_STATE = text(
    "--state",
    metavar="DIR",
    help="keep this machine's state of the vault there (default: your own state folder)",
)
_IMPORTED = (
    argument(
        "--from",
        dest="source",
        metavar="PATH",
        help="a folder of transcripts, or a buildlog: its entries and decisions",
    ),
    argument(
        "--agent",
        choices=AGENTS,
        default="",
        help="only this agent's sessions (default: of all that are there)",
    ),
    argument("--since", metavar="DATE", help="only sessions that ended on or after it"),
    argument("--project", metavar="P", help="only projects whose name holds this"),
    argument("--limit", type=whole, metavar="N", help="at most N sessions, oldest first"),
)
_PLACE = either(
    flag("--user", help="in your own settings, for every project (the default)"),
    flag(
        "--project",
        help="in .claude/settings.local.json of the current folder: for sessions started there",
    ),
)
_WITHOUT = argument(
    "--without",
    action="append",
    choices=("prompt", "failure"),
    default=[],
    help="leave out an optional hook (may be repeated)",
)

TITLE = "set up"
VERBS = {
    "start": Verb(
        "cli.setup.start",
        "make a vault and fill it from your sessions",
        "memoria start",
        _IMPORTED,
        on_demo=False,
    ),
    "demo": Verb(
        "cli.setup.demo",
        "show what it does on sample sessions, in a folder of its own",
        "memoria demo",
        (
            argument("folder", nargs="?", default="", metavar="DIR", help="default ~/memoria-demo"),
            flag("--remove", help="delete it, with all that is in it"),
        ),
        vault="~/memoria-demo",
    ),
    "init": Verb(
        "cli.setup.init",
        "make a vault",
        "memoria init ~/memoria",
        (
            argument("folder", nargs="?", default="", metavar="DIR", help="default ~/memoria"),
            flag("--obsidian", help="with colours for Obsidian's graph and a table of the rules"),
            _STATE,
        ),
    ),
    "install": Verb(
        "cli.setup.install",
        "capture the sessions of every project from now on",
        "memoria install --vault ~/memoria --dry-run",
        (DRY_RUN, _AGENT, _PLACE, _WITHOUT, _STATE),
        on_demo=False,
    ),
    "update": Verb(
        "cli.setup.update",
        "bring the vault and its hooks to this version",
        "memoria update --dry-run",
        (DRY_RUN,),
    ),
    "uninstall": Verb(
        "cli.setup.uninstall",
        "take the hooks out again: the settings are as they were",
        "memoria uninstall",
        (DRY_RUN, _AGENT, _PLACE),
    ),
    "import": Verb(
        "cli.importing.sessions",
        "bring in the sessions that are still there, or a buildlog",
        "memoria import --since 2026-01-01",
        _IMPORTED,
        on_demo=False,
    ),
}
