"""Derive the check of a rule from its words, where it names a command, an option or a path.

Only sure forms are read: "never run `git push --force`", "use `uv` instead of `pip`", "don't edit
`vendor/**`", and a few idioms of git. Each is matched from its first word to its last, since a
condition that is not understood ("unless asked", "on Windows") would turn a good rule into false
alarms. The trap: the occasion must be wider than the breach ("a push", not "a push by force"), or a
rule that is kept has no occasions and nothing can be counted.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.errors import UsageError
from memoria.rules.guards import judge
from memoria.rules.guards.check import parsed
from memoria.rules.guards.named_commands import (
    FORCED,
    NARROWED,
    OWNERS,
    PLAIN,
    READERS,
    Parts,
    shown_by,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memoria.rules.guards.check import Check

    # a check as data, None where the words of the form name nothing that fits it
    Made = dict[str, Any] | None

# characters: what is longer tells a story, and its middle may be a condition
_LONGEST = 300
# programs that start another one, which counts as run by itself, too
_RUNNERS = ("uv run", "poetry run", "pipenv run", "hatch run", "pdm run", "bundle exec", "npx")
# of a path with another beginning it is not known that a rule of the project means it
_OUTSIDE = "!/**"

_SPAN = re.compile(
    r"`([^`\n]{1,120})`"
    r"|(?<![\w`./-])(--?[a-zA-Z][\w-]*)(?![\w-])"
    rf"|(?<![\w`./-])((?:{'|'.join(sorted(PLAIN, reverse=True))})\b(?![-/.]\w)"
    r"(?: (?:push|commit|add|reset|stash|rebase|merge|install|publish|ci|run|--?[\w-]+)(?![\w-]))*)"
    r"|(?<![\w`/])((?:[\w.*-]+/)+[\w.*-]*|(?:[\w*-]+)?\.(?:env|lock)\b|[\w-]+\.(?:json|ya?ml|toml)\b)"
)
_POLITE = re.compile(
    r"^(?:(?:please|important|note|remember|rule|from now on|and|also|so|ok"
    r"|(?:always )?remember to|make sure (?:to|that you|you)|(?:you|we) (?:must|should)"
    r"|in this (?:repo|repository|project))[,:]? +)+"
)
_REASON = re.compile(
    r"\s*[,(:;-]*\s*\b(?:because|since|so that|it'?s|it (?:is|was)|it [a-z]+s|they|this is"
    r"|to (?:avoid|keep|prevent|ensure))\b.*$"
)
_CONDITION = re.compile(
    r"\b(?:unless|except|only|if|when|but|however|other than|apart from|until|while)\b"
)
_SLOT = r"\{\d+\}"
_SLOTS = rf"{_SLOT}(?:(?:,? (?:or|and|nor) |, |/){_SLOT})*"
_NEVER = (
    r"(?:(?:you |we )?(?:must |should |do )?(?:never|not)(?: ever)?"
    r"|(?:you |we )?(?:don't|dont|mustn't|can't|cannot)(?: ever)?|avoid|no|stop)"
)
_CALL = r"(?:us(?:e|ing)|run(?:ning)?|execut(?:e|ing)|call(?:ing)?|invok(?:e|ing))"
_HERE = (
    r"(?: (?:here|anywhere|ever|again|directly|manually|by hand|commands?|flags?|options?"
    r"|in (?:this|the|our) (?:repo|repository|project)|for any reason))*"
)
_USE = r"(?:use|prefer|run)"
_TRUNK = r"(?:main|master|trunk|production)(?: or (?:main|master))?"
_NOT = (
    r"(?:,? (?:instead of|rather than|over|not|and not|never|and never)|[,.;] (?:and )?never use)"
)


class Derived(NamedTuple):
    """A check, and what of the rule it rests on."""

    check: Check
    reason: str


def derive(text: str) -> Derived | None:
    """Derive the check of a rule's text, None where it asks for none that is sure."""
    plain = " ".join(re.sub(r"\*\*|^[-*+\u2022]\s+", "", text).replace("\u2019", "'").split())
    if len(plain) > _LONGEST or _CONDITION.search(_SPAN.sub("", plain).lower()):
        return None
    spans = [next(filter(None, match.groups())) for match in _SPAN.finditer(plain)]
    is_marked = [bool(match[1]) for match in _SPAN.finditer(plain)]
    numbers = iter(range(len(spans)))
    frame = _SPAN.sub(lambda _: f"{{{next(numbers)}}}", plain).lower()
    frame = _POLITE.sub("", frame).rstrip(".!,: ")
    for shown in dict.fromkeys((frame, _REASON.sub("", frame).rstrip(".!,:; "))):
        found = _matched(shown, [*zip(spans, is_marked, strict=True)])
        if found:
            return found
    return None


def _matched(frame: str, spans: Sequence[tuple[str, bool]]) -> Derived | None:
    for pattern, make in _FORMS:
        match = pattern.fullmatch(frame)
        data = make(Parts(match, spans)) if match else None
        if data:
            try:
                check = judge.check_that_may_be_on(parsed(data))
            except UsageError:
                return None
            return Derived(check, f"read as: {json.dumps(data['broken'], ensure_ascii=False)}")
    return None


def read_proposed(data: str) -> tuple[Check | None, str]:
    """Read the check that an engine proposed, as JSON ("" for none); say why it cannot be one."""
    if not data:
        return None, ""
    try:
        return judge.check_that_may_be_on(parsed(json.loads(data))), ""
    except (UsageError, ValueError, RecursionError) as error:
        return None, str(error)


def check_for(text: str, data: str = "") -> Check | None:
    """Give the check of a new rule: the one that an engine proposed, else what its words ask for.

    It is only proposed, too: a person switches it on.
    """
    check, _ = read_proposed(data)
    if check is not None:
        return check
    derived = derive(text)
    return derived.check if derived else None


# -- What the forms ask for ------------------------------------------------------------------------


def _forbid(parts: Parts) -> Made:
    options = parts.options("what")
    if options:
        owners = OWNERS.get(options[0])
        return _forbid_with(owners, options) if owners else None
    commands = parts.commands("what")
    if any(one.program in READERS for one in commands):
        return None
    if len(commands) == 1 and (commands[0].tail or commands[0].pattern in NARROWED):
        return _forbid_with([commands[0].pattern], shown_by(commands[0]))
    if not commands or any(one.tail or one.pattern in NARROWED for one in commands):
        return None
    patterns = [one.pattern for one in commands]
    is_whole = any(one.pattern == one.program for one in commands)
    occasion = {"tools": ["Bash"]} if is_whole else {"command": [one.program for one in commands]}
    return {"occasion": occasion, "broken": {"command": patterns}}


def _forbid_with(commands: list[str], words: list[str]) -> Made:
    return {"occasion": {"command": commands}, "broken": {"with": words}}


def _option(parts: Parts, breaks: str) -> Made:
    """Make the check of one command that options break, by standing there or by missing."""
    commands, options = parts.commands("command"), parts.options("what")
    if len(commands) != 1 or commands[0].tail or not options:
        return None
    return {"occasion": {"command": [commands[0].pattern]}, "broken": {breaks: options}}


_forbid_option = partial(_option, breaks="with")
_demand_option = partial(_option, breaks="without")


def _forbid_option_of_deed(parts: Parts) -> Made:
    options = parts.options("what")
    words = FORCED if options == FORCED[:2] else options
    return _forbid_with([f"git {parts.text('deed')}"], words) if options else None


def _prefer(parts: Parts) -> Made:
    better, worse = parts.commands("better"), parts.commands("worse")
    if not better or not worse or any(one.program in READERS for one in worse):
        return None
    instead = " ".join((better[0].pattern, *better[0].tail))
    wrong = [one.pattern for one in worse]
    runner = next((name for name in _RUNNERS if f"{instead} ".startswith(f"{name} ")), "")
    if runner and instead == f"{runner} {wrong[0]}":
        broken: dict[str, list[str]] = {"not_under": [runner]}
        return {"occasion": {"command": wrong}, "broken": broken, "instead": instead}
    broken = {"command": wrong, "not_under": [one.program for one in better]}
    if len(worse) == 1 and (worse[0].tail or wrong[0] in NARROWED):
        broken["with"] = shown_by(worse[0])
    elif {*wrong} & {one.pattern for one in better} or any(one.tail for one in worse):
        return None
    occasion = {"command": [*(one.pattern for one in better), *wrong]}
    return {"occasion": occasion, "broken": broken, "instead": instead}


def _forbid_edit(parts: Parts) -> Made:
    globs = parts.paths("what")
    return {"occasion": {"path": ["**/*", _OUTSIDE]}, "broken": {"path": globs}} if globs else None


def _forbid_commit(parts: Parts) -> Made:
    globs = [glob.replace("**/", "*/").replace("/**", "/*") for glob in parts.paths("what")]
    return _forbid_with(["git add", "git commit"], globs) if globs else None


def _forbid_push_to(parts: Parts) -> Made:
    return _forbid_with(["git push"], parts.text("to").split(" or "))


def _forbid_force(_: Parts) -> Made:
    return _forbid_with(["git push"], FORCED)


_EDIT = (
    r"(?:(?:edit|modify|touch|change|alter|updat|writ)(?:e|ing)?(?: to)?)"
    r"(?: (?:any |the )?(?:files?|code|anything))?(?: (?:in|under|inside|of))?(?: the)?"
)
# what may follow "never" and "don't"
_BANS: tuple[tuple[str, Callable[[Parts], Made]], ...] = (
    (rf"(?:{_CALL} )?(?:the )?(?P<what>{_SLOTS})", _forbid),
    (rf"{_CALL} (?P<what>{_SLOTS}) (?:with|on|for) (?P<command>{_SLOT})", _forbid_option),
    (rf"{_CALL} (?P<command>{_SLOT}) with (?P<what>{_SLOTS})", _forbid_option),
    (rf"{_CALL} (?P<command>{_SLOT}) without (?P<what>{_SLOT})", _demand_option),
    (rf"(?P<deed>push|commit|merge|rebase) with (?P<what>{_SLOTS})", _forbid_option_of_deed),
    (rf"{_CALL} (?P<worse>{_SLOTS})[,;.:]? (?:use|run) (?P<better>{_SLOT})(?: instead)?", _prefer),
    (rf"{_EDIT} (?P<what>{_SLOTS})(?: (?:folder|directory|files?))?", _forbid_edit),
    (rf"(?:commit|stage) (?P<what>{_SLOTS})(?: files?)?", _forbid_commit),
    (r"force[- ]?push(?: to (?:a |the )?\w+)?", _forbid_force),
    (rf"push(?: (?:directly|straight))? to (?:the )?(?P<to>{_TRUNK})(?: branch)?", _forbid_push_to),
)
_WISHES: tuple[tuple[str, Callable[[Parts], Made]], ...] = (
    (rf"(?P<what>{_SLOTS}) (?:is|are) (?:forbidden|banned|not allowed)", _forbid),
    (rf"(?:always )?{_USE} (?P<better>{_SLOT}){_NOT} (?P<worse>{_SLOTS})", _prefer),
    (rf"instead of (?:using )?(?P<worse>{_SLOTS}),? use (?P<better>{_SLOT})", _prefer),
)
_FORMS = [
    (re.compile(pattern + _HERE), make)
    for pattern, make in (*((rf"{_NEVER} {ban}", make) for ban, make in _BANS), *_WISHES)
]
