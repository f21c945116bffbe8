"""A sentence that demands something first -> the check for it: "run the tests before you commit".

It is broken by a commit when nothing of what is demanded was run since the last change of code. A
rule that demands it after each change is checked there, too: at the commit the last moment has
passed. The trap: whether tests passed is not asked, for a pipe hides it; only whether they ran.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.rules.guards.check import SAME
from memoria.rules.guards.from_text.everyday_names import DEEDS, ERRANDS, OUTSIDE, SOURCES, SUBJECTS
from memoria.rules.guards.from_text.phrase_patterns import (
    CALL,
    CHANGED,
    DEED,
    ERRAND,
    HERE,
    NEVER,
    PASSING,
    SLOTS,
    THE,
    form,
    names,
    patterns,
    quoted,
)
from memoria.text.shell.actions import is_check

if TYPE_CHECKING:
    from memoria.rules.guards.from_text.mentions import Named, Sentence
    from memoria.rules.guards.from_text.phrase_patterns import Form, Found


# they stand before what is meant: `cd web && npm run lint`
_SILENT = frozenset({"cd", "export", "source", "pushd"})


def _deed(text: str | None) -> list[str]:
    """Give the commands of what is to come after; a push is no commit, yet a merge is neither."""
    words = text or "commit"
    name = next((name for name in ("commit", "push", "merg", "rebas") if name in words), "")
    if not name:
        return [DEEDS["pr"]]
    return [DEEDS[{"merg": "merge", "rebas": "rebase"}.get(name, name)]]


def _kinds(text: str) -> list[str]:
    found = []
    for word in re.findall(r"[a-z]+", text):
        stem = {"linting": "lint", "linter": "lint", "linters": "lint", "typecheck": "type"}
        kind = stem.get(word, word)
        kind = next((name for name in ERRANDS if kind.startswith(name)), "")
        found += [kind] * bool(kind)
    return list(dict.fromkeys(found))


def _demanded(seen: list[str], deed: list[str], what: str) -> Found:
    files = SUBJECTS.get(seen[0].split()[0], SOURCES)
    return (
        {
            "occasion": {"command": deed},
            "needs": {"command": seen},
            "since": {"path": [*files, OUTSIDE]},
        },
        f"demands {what} before {quoted(deed)}",
    )


def _errand(_: Sentence, match: re.Match[str]) -> Found | None:
    """Demand a kind of work; of several the first is demanded, so that the check stays right."""
    kinds = _kinds(match["errand"])
    if not kinds:
        return None
    return _demanded(
        list(ERRANDS[kinds[0]]), _deed(match.groupdict().get("deed")), f"a {kinds[0]} run"
    )


def _named(said: Sentence, match: re.Match[str]) -> Found | None:
    named = names(said, match["what"], called=True)
    named = [one for one in named if one.program not in _SILENT]
    if not named:
        return None
    seen = patterns([_started(named[0])])
    return _demanded(seen, _deed(match.groupdict().get("deed")), quoted(seen))


def _standing(said: Sentence, match: re.Match[str]) -> Found | None:
    """A check that is always to be run: before a commit at the latest."""
    named = names(said, match["what"], called=True)
    lines = [" ".join((one.program, *one.words)) for one in named]
    if not named or not all(map(_verifies, lines)):
        return None
    return _demanded(patterns([_started(named[0])]), [DEEDS["commit"]], quoted(lines[:1]))


def _started(one: Named) -> Named:
    """Give the program that `npx` and its like start: it is run in other ways, too."""
    if one.program in {"npx", "bunx", "uvx"} and one.words:
        return one._replace(program=one.words[0], words=one.words[1:])
    return one


def _verifies(line: str) -> bool:
    words = line.split()
    return is_check(line) or (words[0] in {"npx", "bunx", "uvx"} and is_check(" ".join(words[1:])))


def _read(_: Sentence, __: re.Match[str]) -> Found | None:
    return (
        {
            "occasion": {"tools": ["Edit", "MultiEdit"], "path": ["**/*", OUTSIDE]},
            "needs": {"reads": [SAME]},
        },
        "demands that a file is read before it is edited",
    )


_RUN = (
    rf"(?:always |only )?(?:{CALL} |verify(?: that)? |ensure(?: that)? |check(?: that)? "
    r"|confirm(?: that)? )"
)
_SURE = r"(?:(?:always )?(?:make sure|ensure|verify|confirm|check)(?: that)? )"
_BEFORE = r"(?:,? (?:before|prior to)(?: any)?)"
_AND = r"(?:(?:,? and )(?:fix|resolve|make sure)[^.]*)?"
_FILE = (
    r"(?:(?:a|the|any|every|each|all|existing) )*(?:relevant |whole |entire |full |target )*"
    r"(?:files?|code|file contents?)"
)
_EDIT = (
    r"(?:(?:you )?(?:edit|modify|chang|updat)(?:ing|e)?"
    r"(?: (?:it|them|a file|the file|any file|files?|anything|code))?"
    r"|(?:you )?mak(?:e|ing) (?:any )?(?:changes|edits)(?: to (?:it|them))?)"
)

FORMS: tuple[Form, ...] = (
    form(_errand, rf"{_RUN}{ERRAND}{_AND}{_BEFORE} {DEED}{HERE}"),
    form(_errand, rf"{_SURE}?{ERRAND}{PASSING}{_BEFORE} {DEED}{HERE}"),
    form(_errand, rf"(?:before|prior to) {DEED},? {_RUN}{ERRAND}{PASSING}?{HERE}"),
    form(_errand, rf"(?:before|prior to) {DEED},? {_SURE}{ERRAND}{PASSING}{HERE}"),
    form(
        _errand,
        rf"{NEVER} {DEED} (?:without|before|until|if) (?:first )?(?:running |having"
        rf" run |you (?:have )?run |passing )?{ERRAND}(?:{PASSING}| (?:fail|are failing"
        rf"|have passed|first))?{HERE}",
    ),
    form(_errand, rf"(?P<errand>lint|test|format|type-?check|build){_BEFORE} {DEED}{HERE}"),
    form(
        _named,
        rf"(?:always )?(?:{CALL} )?{THE}(?P<what>{SLOTS})(?: (?:checks?|tests?|linter"
        rf"|formatter))?{_AND}{_BEFORE} {DEED}{HERE}",
    ),
    form(_named, rf"(?:before|prior to) {DEED},? (?:always )?{CALL} {THE}(?P<what>{SLOTS}){HERE}"),
    form(
        _named,
        rf"{NEVER} {DEED} (?:without|before|until) (?:first )?(?:you (?:have )?run "
        rf"|running ){THE}(?P<what>{SLOTS}){HERE}",
    ),
    form(_named, rf"{_SURE}(?P<what>{SLOTS}){PASSING}{_BEFORE} {DEED}{HERE}"),
    form(_named, rf"(?:always )?{CALL} {THE}(?P<what>{SLOTS}) after {CHANGED}{HERE}"),
    form(_named, rf"after {CHANGED},? (?:always )?{CALL} {THE}(?P<what>{SLOTS}){HERE}"),
    form(_errand, rf"(?:always )?{CALL} {ERRAND} after {CHANGED}{HERE}"),
    form(_errand, rf"after {CHANGED},? (?:always )?{CALL} {ERRAND}{HERE}"),
    form(_standing, rf"always (?:{CALL} )?(?P<what>{SLOTS}){HERE}"),
    form(_read, rf"(?:always )?read {_FILE}(?: \w+){{0,3}}? (?:before|prior to) {_EDIT}"),
    form(_read, rf"before {_EDIT},? (?:always )?read {_FILE}(?: \w+){{0,6}}"),
    form(
        _read,
        rf"{NEVER} (?:edit|modify|change) {_FILE} (?:without|before) (?:first"
        rf" )?reading (?:it|them)(?: first)?",
    ),
    form(_read, rf"{NEVER} (?:edit|modify|change) {_FILE} (?:that )?you (?:have not|haven't) read"),
)
