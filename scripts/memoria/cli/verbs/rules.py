"""Verbs on rules (seen, decided, promoted, guarded, rewarded), on evidence and on the team."""

from __future__ import annotations

from memoria.cli.verbs.verb import DRY_RUN, PROJECT, Action, Verb, arg, whole

CATEGORIES = ("architectural", "workflow", "tool_usage", "domain_knowledge")
TARGETS = ("claude-md", "settings", "skill", "rules", "agents-md", "agents-skill")
_MODES = ("note", "bump", "ask", "deny")
_ID = arg("id ID", "a rule's id, or how it begins")
_IDS = arg("ids ID", "a rule's id, or how it begins", nargs="+")
_OTHERS = arg("--from DIR", "other transcripts", dest="source")
_GUARD = {
    "list": Action("all rules that have a check, and which are on here"),
    "on": Action("switch it on", (_ID, arg("--mode", "default bump", _MODES))),
    "off": Action("switch it off", (_ID,)),
    "mode": Action(
        "note: told after the call; bump: refused once, the same call again passes; "
        "ask: Claude Code asks you; deny: refused each time (these two in a terminal)",
        (_ID, arg("mode", choices=_MODES)),
    ),
    "explain": Action("its check in words, and what it did so far", (_ID,)),
    "test": Action("what it would have done in the sessions so far", (_ID, _OTHERS)),
    "suggest": Action(
        "checks for rules that name a command, an option or a path",
        (arg("id ID", nargs="?"), _OTHERS, arg("--dry-run", "write nothing")),
    ),
}

RULES = {
    "status": Verb(
        "cli.decide.status",
        "show what is captured, what waits, what goes wrong, the rules",
        (
            arg("--rules", "the rules alone"),
            arg("--category C", f"only this category: {', '.join(CATEGORIES)}", CATEGORIES),
        ),
    ),
    "diff": Verb("cli.decide.status", "show the rules that wait for your decision"),
    "review": Verb(
        "rules.review.service",
        "decide about waiting rules, one key each",
        (arg("--limit N", "at most N rules", type=whole),),
    ),
    "remember": Verb(
        "cli.decide.remember",
        "make a rule that is active from the next prompt on",
        (
            arg("text TEXT", "the rule, in quotes", nargs="+"),
            arg("--pin", "into every session, without question"),
            arg("--global", "in all projects, not this one", dest="everywhere"),
            arg("--category C", "one of the four categories"),
        ),
        'memoria remember "Always run the linter before you commit" --pin',
    ),
    "learn": Verb(
        "rules.from_review.service",
        "take rules out of a code review, for your decision",
        (
            arg("--from-review FILE", "a code review's text; - for stdin", required=True),
            arg("--global", "for all projects, not this one", dest="everywhere"),
            arg("--dry-run", "show the rules, write nothing"),
        ),
        "memoria learn --from-review review.txt",
    ),
    "promote": Verb(
        "rules.promotion.service",
        "approve rules, write them into CLAUDE.md or another file",
        (
            arg("ids ID", "rules (default: the active ones)", nargs="*"),
            arg(
                "--target T",
                "claude-md (default), agents-md, rules, skill, agents-skill, or settings: a "
                "SessionStart hook that prints the rules, since Claude Code reads no key of its "
                "own settings as instructions",
                TARGETS,
                default="claude-md",
            ),
            arg(
                "--confidence LEVEL",
                "the active rules that are at least so sure (low, medium or high)",
                ("low", "medium", "high"),
            ),
            arg("--dir DIR", "the project (default: this one)"),
            arg("--name NAME", "of the skill (target skill)"),
            arg(
                "--global",
                "your own file for all projects, in Claude Code's folder",
                dest="everywhere",
            ),
            arg(
                "--force",
                "also where the marked part was edited by hand or on another machine; the old "
                "part is kept aside",
            ),
            DRY_RUN,
        ),
        "memoria promote wf-96f12966f1 --target skill",
    ),
    "reject": Verb(
        "cli.decide.close",
        "reject rules: they are not suggested again",
        (_IDS,),
        "memoria reject wf-96f12966f1",
    ),
    "retire": Verb(
        "cli.decide.close",
        "retire active rules that have had their time",
        (_IDS,),
        "memoria retire wf-96f1",
    ),
    "supersede": Verb(
        "cli.decide.close",
        "retire a rule that another one replaces",
        (
            arg("old OLD", "the rule to retire"),
            arg("new NEW", "the rule that replaces it: id, or its words"),
        ),
        "memoria supersede wf-96f12966f1 wf-0a1b2c3d4e",
    ),
    "why": Verb(
        "search.sources.service",
        "show the session that a rule or a line came from",
        (arg("what ID|PATH[:LINE]", "a rule, or a line of the vault"),),
        "memoria why knowledge/concepts/token-expiry.md:12",
    ),
    "trust": Verb(
        "cli.decide.trust",
        "adopt what you wrote on another machine or in your editor",
        (
            arg("--all", "show all lines that wait"),
            arg("--yes", "adopt all that is shown, do not ask"),
        ),
    ),
    "guard": Verb(
        "cli.guard",
        "have tool calls checked against a rule",
        example="memoria guard on wf-96f12966f1",
        actions=_GUARD,
    ),
    "reward": Verb(
        "cli.evidence.reward",
        "say whether a rule helped",
        (
            _ID,
            arg("reward", "1 helped, 0 did not help, -1 hurt", ("1", "0", "-1")),
            arg("--context C", "what it was about: type-errors"),
            arg("--outcome TEXT", "what came of it"),
            arg("--session S", "the session it is about"),
        ),
        'memoria reward wf-96f12966f1 1 --context type-errors --outcome "caught it"',
    ),
    "rewards": Verb(
        "cli.evidence.reward",
        "show what you and the sessions said of rules",
        (arg("id ID", "only this rule", nargs="?"),),
    ),
}

# -- Does it help? ---------------------------------------------------------------------------------

_PROJECT = arg("--project P", "a part of its name, or its folder")
_WHICH = arg("--experiment ID", "default: the last one")
_START = (
    _PROJECT,
    arg("--error-class C", "only errors of this class: lint, test"),
    arg(
        "--design",
        "coin: by chance (default); before-after: in two phases; all-on: no comparison",
        ("coin", "before-after", "all-on"),
        default="coin",
    ),
    arg("--p P", "the chance that Memoria is on (default 0.5)"),
    arg(
        "--sessions N",
        "fix their number: one test at the end instead of a look whenever you like",
        type=whole,
    ),
    arg("--worth R", "smallest fall of repeats worth having (0.33)"),
    arg("--window-days D", "how far back a repeat may lie (30 days)", type=whole),
    arg("--window-sessions N", "the same in sessions (50)", type=whole),
    arg("--all-projects", "not this project alone"),
)
_EXPERIMENT = {
    "start": Action("an A/B test: Memoria is on in some sessions, by chance", _START),
    "switch": Action("turn Memoria on for the second phase of before-after", (_PROJECT,)),
    "end": Action("end it; what is known so far can be reported for ever", (_PROJECT,)),
    "status": Action("all experiments with their sessions", (_PROJECT,)),
    "metrics": Action("the rates of an experiment", (_PROJECT, _WHICH)),
    "report": Action(
        "verdict, rates, effect sizes, tests, notes",
        (
            _PROJECT,
            _WHICH,
            arg("--all", "all experiments, and all captured and tracked sessions"),
        ),
    ),
    "log-mistake": Action(
        "note an error by hand",
        (
            _PROJECT,
            arg("--error-class C", "default: the experiment's"),
            arg("--description D", "what went wrong", required=True),
            arg("--session ID", "a session of Claude Code that it happened in"),
        ),
    ),
    "session": Action(
        "track a session outside Claude Code", (_PROJECT, arg("what", choices=("start", "end")))
    ),
    "export": Action(
        "one row a session",
        (
            _PROJECT,
            _WHICH,
            arg("--csv", "as CSV (the default)"),
            arg("-o --output FILE", "write it to this file"),
        ),
    ),
}

EVIDENCE = {
    "experiment": Verb(
        "cli.evidence.experiment",
        "find out whether Memoria helps, by an A/B test",
        example="memoria experiment start --error-class lint",
        on_demo=False,
        actions=_EXPERIMENT,
    ),
    "backtest": Verb(
        "evidence.backtest.service",
        "count errors that came back although a fix was known",
        (PROJECT, arg("--limit N", "rows of the list", type=whole, default=10)),
        "memoria backtest --project shop",
    ),
    "report": Verb(
        "cli.evidence.report",
        "write a page: what goes wrong again, and whether Memoria helps",
        (
            arg("--open", "show it in the browser"),
            arg("-o --output FILE", "default reports/report.html in the vault"),
            arg("--format", "default html (markdown for .md)", ("html", "markdown")),
            PROJECT,
        ),
        "memoria report --open",
    ),
}

# -- The team --------------------------------------------------------------------------------------

_WHERE = arg("where DSN|FOLDER", "where the team is", nargs="?")
_SHARED = arg("project PROJECT", "or a part of its key (default: that of this folder)", nargs="?")
_NAME = arg("name NAME", "the member's name, which is their role's")
_OWNER = arg("--dsn DSN", "the owner's address", dest="where")
_TEAM = {
    "join": Action(
        "belong to a team: a database, or a folder that syncs", (_WHERE, arg("--name N", "yours"))
    ),
    "share": Action(
        "share the lines of a project",
        (_SHARED, arg("--with-facts", "lines of outside origin and fixes, too")),
    ),
    "unshare": Action("withdraw them", (_SHARED,)),
    "sync": Action("exchange now; each flush does it in the background"),
    "status": Action("which team, what is shared, how much came from whom"),
    "leave": Action("leave it", (arg("--withdraw", "take along all that was shared"),)),
    "init": Action("make the team's schema in a database, as its owner", (_WHERE,)),
    "invite": Action("make a role for a member, as the owner", (_NAME, _OWNER)),
    "admit": Action(
        "let a member see a project, as the owner",
        (arg("project PROJECT", "its key"), _NAME, _OWNER),
    ),
    "remove": Action("let a member log in no more, as the owner", (_NAME, _OWNER)),
}

TEAM = {
    "team": Verb(
        "cli.team.service",
        "share what sessions found out with colleagues",
        example="memoria team join ~/shared/memory --name ana",
        on_demo=False,
        actions=_TEAM,
    )
}
