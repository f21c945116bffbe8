"""Verbs on rules: seen, decided, promoted, guarded, rewarded."""

from __future__ import annotations

from memoria.cli.verbs.verb import DRY_RUN, Action, Verb, argument, flag, text, whole

CATEGORIES = ("architectural", "workflow", "tool_usage", "domain_knowledge")
TARGETS = ("claude-md", "settings", "rules", "agents-md")

_ABOUT_GUARD = """actions:
  list             all rules that have a check, and which are on here
  on ID            switch it on [--mode note|bump|ask|deny] (default bump)
  off ID           switch it off
  mode ID MODE     note: told after the call; bump: refused once, the same call
                   again passes; ask: Claude Code asks you; deny: refused each
                   time (these two in a terminal)
  explain ID       its check in words, and what it did so far
  test ID          what it would have done in the sessions so far
  suggest [ID]     checks for rules that name a command, an option or a path"""
_MODES = ("note", "bump", "ask", "deny")
_ID = argument("id", metavar="ID", help="a rule's id, or how it begins")
_OTHERS = argument("--from", dest="source", default="", metavar="DIR", help="other transcripts")
_GUARD = {
    "list": Action("list all rules that have a check"),
    "on": Action(
        "switch a guard on",
        (_ID, argument("--mode", choices=_MODES, default="", help="default bump")),
    ),
    "off": Action("switch a guard off", (_ID,)),
    "mode": Action("change what a guard does", (_ID, argument("mode", choices=_MODES))),
    "explain": Action("tell a check in words", (_ID,)),
    "test": Action("tell what a guard would have done", (_ID, _OTHERS)),
    "suggest": Action(
        "make checks for rules that name a command, an option or a path",
        (
            argument("id", nargs="?", default="", metavar="ID"),
            _OTHERS,
            flag("--dry-run", help="write nothing"),
        ),
    ),
}

TITLE = "rules"
VERBS = {
    "status": Verb(
        "cli.decide.status",
        "show what is captured, what waits, what goes wrong, the rules",
        "memoria status",
        (
            flag("--rules", help="the rules alone"),
            argument(
                "--category",
                choices=CATEGORIES,
                default="",
                metavar="C",
                help=f"only this category: {', '.join(CATEGORIES)}",
            ),
        ),
    ),
    "diff": Verb("cli.decide.status", "show the rules that wait for your decision", "memoria diff"),
    "review": Verb(
        "rules.review.service",
        "decide about waiting rules, one key each",
        "memoria review",
        (argument("--limit", type=whole, metavar="N", help="at most N rules"),),
    ),
    "remember": Verb(
        "cli.decide.remember",
        "make a rule that is active from the next prompt on",
        'memoria remember "Always run the linter before you commit" --pin',
        (
            argument("text", nargs="+", metavar="TEXT", help="the rule, in quotes"),
            flag("--pin", help="into every session, without question"),
            argument(
                "--global",
                dest="everywhere",
                action="store_true",
                help="in all projects, not this one",
            ),
            text("--category", metavar="C", help="one of the four categories"),
        ),
    ),
    "learn": Verb(
        "rules.from_review.service",
        "take rules out of a code review, for your decision",
        "memoria learn --from-review review.txt",
        (
            argument(
                "--from-review",
                required=True,
                metavar="FILE",
                help="a code review's text; - for stdin",
            ),
            argument(
                "--global",
                dest="everywhere",
                action="store_true",
                help="for all projects, not this one",
            ),
            flag("--dry-run", help="show the rules, write nothing"),
        ),
    ),
    "promote": Verb(
        "rules.promotion.service",
        "approve rules, write them into CLAUDE.md or another file",
        "memoria promote wf-96f12966f1 --target rules",
        (
            argument("ids", nargs="*", metavar="ID", help="rules (default: the active ones)"),
            argument(
                "--target",
                choices=TARGETS,
                default="claude-md",
                metavar="T",
                help="claude-md (default), agents-md, rules, or settings: a "
                "SessionStart hook that prints the rules, since Claude Code reads no key of its "
                "own settings as instructions",
            ),
            argument(
                "--confidence",
                choices=("low", "medium", "high"),
                default="",
                metavar="LEVEL",
                help="the active rules that are at least so sure (low, medium or high)",
            ),
            text("--dir", metavar="DIR", help="the project (default: this one)"),
            argument(
                "--global",
                dest="everywhere",
                action="store_true",
                help="your own file for all projects, in Claude Code's folder",
            ),
            flag(
                "--force",
                help="also where the marked part was edited by hand or on another machine; the old "
                "part is kept aside",
            ),
            DRY_RUN,
        ),
    ),
    "reject": Verb(
        "cli.decide.close",
        "reject rules: they are not suggested again",
        "memoria reject wf-96f12966f1",
        (argument("ids", nargs="+", metavar="ID", help="a rule's id, or how it begins"),),
    ),
    "retire": Verb(
        "cli.decide.close",
        "retire active rules that have had their time",
        "memoria retire wf-96f1",
        (argument("ids", nargs="+", metavar="ID", help="a rule's id, or how it begins"),),
    ),
    "supersede": Verb(
        "cli.decide.close",
        "retire a rule that another one replaces",
        "memoria supersede wf-96f12966f1 wf-0a1b2c3d4e",
        (
            argument("old", metavar="OLD", help="the rule to retire"),
            argument("new", metavar="NEW", help="the rule that replaces it: id, or its words"),
        ),
    ),
    "why": Verb(
        "search.sources.service",
        "show the session that a rule or a line came from",
        "memoria why knowledge/concepts/token-expiry.md:12",
        (argument("what", metavar="ID|PATH[:LINE]", help="a rule, or a line of the vault"),),
    ),
    "trust": Verb(
        "cli.decide.trust",
        "adopt what you wrote on another machine or in your editor",
        "memoria trust",
        (
            flag("--all", help="show all lines that wait"),
            flag("--yes", help="adopt all that is shown, do not ask"),
        ),
    ),
    "guard": Verb(
        "cli.guard",
        "have tool calls checked against a rule",
        "memoria guard on wf-96f12966f1",
        about=_ABOUT_GUARD,
        actions=_GUARD,
    ),
    "reward": Verb(
        "cli.evidence.reward",
        "say whether a rule helped",
        'memoria reward wf-96f12966f1 1 --context type-errors --outcome "caught it"',
        (
            argument("id", metavar="ID", help="a rule's id, or how it begins"),
            argument("reward", choices=("1", "0", "-1"), help="1 helped, 0 did not help, -1 hurt"),
            text("--context", metavar="C", help="what it was about: type-errors"),
            text("--outcome", metavar="TEXT", help="what came of it"),
            text("--session", metavar="S", help="the session it is about"),
        ),
    ),
    "rewards": Verb(
        "cli.evidence.reward",
        "show what you and the sessions said of rules",
        "memoria rewards",
        (argument("id", nargs="?", default="", metavar="ID", help="only this rule"),),
    ),
}
