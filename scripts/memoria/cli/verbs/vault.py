"""Verbs on a vault: made, filled, compiled, searched, written in, and kept in order."""

from __future__ import annotations

import argparse

from memoria.cli.verbs.verb import DRY_RUN, PROJECT, YES, Verb, arg, whole

# as agents/port.py has them; loading that would load their readers at every start
AGENTS = ("claude-code", "codex", "copilot", "gemini", "opencode")
BACKENDS = ("token", "wordllama", "sentence-transformers", "openai")
_AGENT = arg("--agent", "whose hooks (default claude-code)", AGENTS, default="claude-code")
_STATE = arg(
    "--state DIR", "keep this machine's state of the vault there (default: your own state folder)"
)
_IMPORTED = (
    arg(
        "--from PATH",
        "a folder of transcripts, or a buildlog: its entries and decisions",
        dest="source",
    ),
    arg("--agent", "only this agent's sessions (default: of all that are there)", AGENTS),
    arg("--since DATE", "only sessions that ended on or after it"),
    arg("--project P", "only projects whose name holds this"),
    arg("--limit N", "at most N sessions, oldest first", type=whole),
)
_PLACE = (
    arg(
        "--user",
        "in your own settings, for every project (the default)",
        action="store_false",
        dest="project",
        default=False,
    ),
    arg(
        "--project",
        "in .claude/settings.local.json of the current folder: for sessions started there",
    ),
)
_WITHOUT = arg(
    "--without",
    "leave out an optional hook (may be repeated)",
    ("prompt", "failure"),
    action="append",
    default=[],
)
_SINCE = arg("--since DATE", "dated on or after it")
_ENTRIES_SINCE = arg("--since DATE", "entries dated on or after it")
_CATEGORY = arg(
    "--category C",
    "architectural, workflow, tool_usage, domain_knowledge, or one of your own",
)

BEGIN = {
    "start": Verb(
        "cli.setup.start", "make a vault and fill it from your sessions", _IMPORTED, on_demo=False
    ),
    "demo": Verb(
        "cli.setup.start",
        "show what it does on sample sessions, in a folder of its own",
        (
            arg("folder DIR", "default ~/memoria-demo", nargs="?"),
            arg("--remove", "delete it, with all that is in it"),
        ),
        vault="~/memoria-demo",
    ),
    "init": Verb(
        "cli.setup.init",
        "make a vault",
        (
            arg("folder DIR", "default ~/memoria", nargs="?"),
            arg("--obsidian", "with colours for Obsidian's graph and a table of the rules"),
            _STATE,
        ),
        "memoria init ~/memoria",
    ),
    "install": Verb(
        "cli.setup.install",
        "capture the sessions of every project from now on",
        (DRY_RUN, _AGENT, *_PLACE, _WITHOUT, _STATE),
        "memoria install --vault ~/memoria --dry-run",
        on_demo=False,
    ),
    "update": Verb(
        "cli.setup.update",
        "bring the vault and its hooks to this version",
        (DRY_RUN,),
        "memoria update --dry-run",
    ),
    "uninstall": Verb(
        "cli.setup.uninstall",
        "take the hooks out again: the settings are as they were",
        (DRY_RUN, _AGENT, *_PLACE),
    ),
    "import": Verb(
        "cli.importing.sessions",
        "bring in the sessions that are still there, or a buildlog",
        _IMPORTED,
        "memoria import --since 2026-01-01",
        on_demo=False,
    ),
}

LOOP = {
    "flush": Verb(
        "cli.flush",
        "write captured sessions into the daily logs now",
        (
            arg("--sweep", "also find sessions no hook told of"),
            arg("--detached", argparse.SUPPRESS),
        ),
        on_demo=False,
    ),
    "compile": Verb(
        "compile.service",
        "turn new entries into articles and rules",
        (
            arg("--all", "compile all entries again"),
            arg("--file LOG", "only this log: daily/DATE.md"),
            arg("--dry-run", "print the patch, write nothing"),
        ),
        "memoria compile --file daily/2026-04-01.md --dry-run",
    ),
    "rewrite": Verb(
        "cli.rewrite",
        "let a model write again what was captured without one",
        (arg("--since DATE", "entries of that day and later"), PROJECT, YES),
        "memoria rewrite --since 2026-04-01 --project shop",
        on_demo=False,
    ),
    "search": Verb(
        "search.service",
        "find articles and entries by their words",
        (
            arg("words WORDS", "what to look for", nargs="*"),
            arg("-k N", "at most N results", type=whole, default=10),
            arg("--scope", "where to look", ("articles", "daily", "all"), default="all"),
            PROJECT,
            _SINCE,
            arg("--kind K", "concept, rule, qa, entry, ..."),
            arg("--tag T", "articles with this tag"),
            arg("--vectors", "count meaning, too (needs the extra wordllama)"),
        ),
        'memoria search "token expiry" -k 5 --scope articles',
    ),
    "query": Verb(
        "search.ask",
        "answer a question from the vault, with links",
        (
            arg("question QUESTION", "what you want to know", nargs="+"),
            arg("--file-back", "keep the answer as a note under knowledge/qa/"),
        ),
        'memoria query "How long do session tokens last?" --file-back',
    ),
    "lint": Verb(
        "lint.service",
        "check the vault's health",
        (
            arg("--structural-only", "only the checks that need no model"),
            arg("--fix", "fix what code can fix safely"),
        ),
        "memoria lint --structural-only --fix",
    ),
}

NOTEBOOK = {
    "new": Verb(
        "cli.new",
        "begin an entry of your own",
        (
            arg("slug SLUG", "default: from the session's title", nargs="?"),
            arg("--date DATE", "its day (default today, with --from-session the session's)"),
            arg(
                "--from-session ID",
                "fill it from a captured session: 8 characters of its id, or `latest`",
            ),
            arg("--dry-run", "print the entry, write nothing"),
        ),
        "memoria new --from-session latest",
    ),
    "list": Verb(
        "rules.insights.list_entries", "list all entries, yours and the captured ones", (_SINCE,)
    ),
    "distill": Verb(
        "cli.insight_lists",
        "extract the insights of all entries by category",
        (arg("-o --output FILE", "a .json or .yaml file"), _ENTRIES_SINCE, _CATEGORY),
        "memoria distill --since 2026-01-01 -o patterns.yaml",
    ),
    "skills": Verb(
        "cli.insight_lists",
        "merge insights and rules into skills for an agent",
        (
            arg("-o --output FILE", "write it to this file"),
            arg("--format", "default yaml", ("yaml", "json", "markdown")),
            arg("--min-frequency N", "seen in N sessions or more", type=whole, default=1),
            _ENTRIES_SINCE,
            arg(
                "--embeddings B",
                f"what finds paraphrases: {', '.join(BACKENDS)}",
                BACKENDS,
                default="token",
            ),
            arg("--explain", "say what was merged, and what nearly was"),
        ),
        "memoria skills --format markdown --min-frequency 2",
    ),
    "stats": Verb(
        "rules.insights.stats",
        "show coverage, streaks and blind spots",
        (
            arg("--detailed", "weeks, months, top sources, all repeated errors"),
            arg("--since DATE", "entries and errors dated on or after it"),
        ),
    ),
}

UPKEEP = {
    "undo": Verb(
        "cli.undo",
        "take back the last compile, answer, promotion or decision",
        (
            arg("step STEP", "its number (default: the last one)", nargs="?", type=whole),
            arg("--list", "show the steps, newest first"),
            DRY_RUN,
            YES,
        ),
        "memoria undo --dry-run",
    ),
    "export": Verb(
        "cli.export",
        "write rules and articles into one file",
        (
            arg("-o --output FILE", "write to it (default: print)"),
            arg("--format", "default by FILE, else markdown", ("markdown", "jsonl")),
            arg("--rules", "only the rules"),
            arg("--articles", "only the articles"),
            PROJECT,
            arg("--since DATE", "updated on or after it"),
        ),
        "memoria export --rules -o rules.md",
    ),
    "mcp": Verb(
        "mcp.server",
        "serve the vault to MCP clients, which start it",
        example="memoria mcp --vault ~/memoria",
        on_demo=False,
    ),
    "forget": Verb(
        "cli.forgetting.service",
        "remove a session, a project or a text for good",
        (
            arg("what SESSION|PROJECT", "a session's id, a project", nargs="?"),
            arg("--match TEXT", "all that holds this text"),
            arg("--since DATE", "what was captured since"),
            arg("--dry-run", "show what goes, change nothing"),
            YES,
        ),
        "memoria forget --match 'Project Nightjar' --dry-run",
    ),
    "cost": Verb(
        "cli.evidence.cost",
        "show tokens and money by day and operation",
        (arg("--since DATE", "calls made on or after it"),),
        "memoria cost --since 2026-04-01",
    ),
    "completion": Verb(
        "cli.completion",
        "print what lets your shell complete verbs and options",
        (arg("shell", "your shell", ("bash", "zsh", "fish", "powershell")),),
        "memoria completion bash > ~/.local/share/bash-completion/completions/memoria",
    ),
    "doctor": Verb(
        "cli.doctor",
        "say whether capture works, and what is wrong if not",
        (
            arg(
                "--audit",
                "look through vault and state for secrets, open modes, active content and "
                "unapproved rules instead; 1 for errors, 0 for warnings alone",
            ),
        ),
        on_demo=False,
    ),
}
