"""The verb that shares a vault's lines with a team."""

from __future__ import annotations

from memoria.cli.verbs.verb import Action, Verb, argument, flag, text

TITLE = "team"
_ABOUT = """actions:
  join DSN|FOLDER    belong to a team: a database, or a folder that syncs
  share [PROJECT]    share the lines of a project (default: that of this folder)
  unshare [PROJECT]  withdraw them
  sync               exchange now; each flush does it in the background
  status             which team, what is shared, how much came from whom
  leave              leave it   [--withdraw: take along what was shared]
  init DSN           make the team's schema in a database, as its owner
  invite NAME        make a role for a member, as the owner
  admit PROJECT NAME let a member see a project, as the owner
  remove NAME        let a member log in no more, as the owner"""
_WHERE = argument("where", nargs="?", default="", metavar="DSN|FOLDER", help="where the team is")
_PROJECT = argument(
    "project", nargs="?", default="", metavar="PROJECT", help="or a part of its key"
)
_NAME = argument("name", metavar="NAME", help="the member's name, which is their role's")
_OWNER = text("--dsn", metavar="DSN", help="the owner's address")._replace(
    given={"dest": "where", "default": "", "metavar": "DSN", "help": "the owner's address"}
)
_ACTIONS = {
    "join": Action("belong to a team", (_WHERE, text("--name", metavar="N", help="your name"))),
    "share": Action(
        "share a project",
        (_PROJECT, flag("--with-facts", help="lines of outside origin and fixes, too")),
    ),
    "unshare": Action("withdraw a project", (_PROJECT,)),
    "sync": Action("exchange now"),
    "status": Action("say which team and what is shared"),
    "leave": Action("leave the team", (flag("--withdraw", help="take along all that was shared"),)),
    "init": Action("make the schema", (_WHERE,)),
    "invite": Action("make a role for a member", (_NAME, _OWNER)),
    "admit": Action(
        "let a member see a project",
        (argument("project", metavar="PROJECT", help="its key"), _NAME, _OWNER),
    ),
    "remove": Action("let a member log in no more", (_NAME, _OWNER)),
}
VERBS = {
    "team": Verb(
        "cli.team.service",
        "share what sessions found out with colleagues",
        "memoria team join ~/shared/memory --name ana",
        about=_ABOUT,
        actions=_ACTIONS,
        on_demo=False,
    )
}
