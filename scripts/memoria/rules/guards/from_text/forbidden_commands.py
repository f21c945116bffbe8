"""A sentence that forbids -> the check for it: this command, this option.

The trap: what is forbidden must be told from what merely stands near it; "never push without
--dry-run" forbids the push that lacks the option.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.rules.guards.from_text import mentions as mention
from memoria.rules.guards.from_text.everyday_names import (
    DEEDS,
    NARROWED,
    OWNERS,
    READERS,
    SHELL,
    TRAILERS,
)
from memoria.rules.guards.from_text.mentions import slots
from memoria.rules.guards.from_text.phrase_patterns import (
    CALL,
    HERE,
    NEVER,
    SLOT,
    SLOTS,
    THE,
    form,
    names,
    patterns,
    quoted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.rules.guards.from_text.mentions import Named, Sentence
    from memoria.rules.guards.from_text.phrase_patterns import Form, Found

_FORCE = ("--force", "-f", "+*")
_SPELLINGS = {"--force": _FORCE[:2], "-f": _FORCE[:2]}
# words of a command that have to stand in a row: `-X DELETE`, `origin main`
_IN_A_ROW = 2
_TRUNK = re.compile(r"(?:the )?(main|master|trunk|develop|production)(?: branch)?")


def forbidden(named: Sequence[Named]) -> Found | None:
    """Forbid commands; with an option or words of its own only a single one."""
    if not named:
        return None
    one = named[0]
    if any(each.tail for each in named):
        return _with(one.patterns, _tail(one)) if len(named) == 1 and _tail(one) else None
    if any(each.program in NARROWED and not each.words for each in named):
        return _with(one.patterns, NARROWED[one.program]) if len(named) == 1 else None
    broken = patterns(named)
    if all(each.program in READERS and not each.words for each in named):
        read = {"command": broken, "reads": ["*.*"]}
        return {"occasion": {"tools": list(SHELL)}, "broken": read}, f"forbids {quoted(broken)}"
    # of a program that is forbidden whole any call is an occasion: another one is wanted instead
    wide = list(dict.fromkeys(pattern.split()[0] for pattern in broken))
    whole = any(not each.words for each in named)
    occasion = {"tools": list(SHELL)} if whole else {"command": wide}
    return {"occasion": occasion, "broken": {"command": broken}}, f"forbids {quoted(broken)}"


def _tail(one: Named) -> tuple[str, ...]:
    """Give what of a command's tail shows it: its one option, or two words in a row."""
    return (" ".join(one.tail),) if len(one.tail) <= _IN_A_ROW else ()


def _with(commands: Sequence[str], details: Sequence[str]) -> Found | None:
    """Forbid a command with any of these options."""
    options = list(dict.fromkeys(form for one in details for form in _SPELLINGS.get(one, (one,))))
    return (
        {"occasion": {"command": list(commands)}, "broken": {"with": options}},
        f"forbids {quoted(options)} with {quoted(commands)}",
    )


def _command(said: Sentence, match: re.Match[str]) -> Found | None:
    named = names(said, match["what"], called=bool(match.groupdict().get("run")))
    return forbidden(named)


def _narrowed(said: Sentence, match: re.Match[str]) -> Found | None:
    """Forbid a program for what it is forbidden for anyway: `sed` to edit files."""
    named = names(said, match["what"], called=True)
    known = all(one.program in NARROWED or one.program in READERS for one in named)
    return forbidden(named) if known else None


def _settings(said: Sentence, match: re.Match[str]) -> Found | None:
    """Forbid the command that changes settings where they are named by it: the git config."""
    named = names(said, match["what"])
    if not named or named[0].words != ("config",) or named[0].tail:
        return None
    broken = {"command": patterns(named), "without": ["--get*", "--list", "-l", "--show*"]}
    program = named[0].program
    return {
        "occasion": {"command": [program]},
        "broken": broken,
    }, f"forbids {quoted([f'{program} config'])}"


def _options(said: Sentence, text: str) -> list[str]:
    found = [mention.option(said.mentions[number]) for number in slots(text)]
    return found if all(found) else []


def _option(said: Sentence, match: re.Match[str]) -> Found | None:
    """Forbid an option: of the command that is named, or of those that own it."""
    options = _options(said, match["flag"])
    groups = match.groupdict()
    if not options:
        return None
    if groups.get("deed"):
        return _with([DEEDS[_deed(groups["deed"])]], options)
    if groups.get("what"):
        named = names(said, groups["what"], called=True)
        return _with(patterns(named), options) if named and not _tailed(named) else None
    owners = OWNERS.get(options[0]) if len(options) == 1 else None
    return _with(owners, options) if owners else None


def _tailed(named: Sequence[Named]) -> bool:
    return any(one.tail for one in named)


def _deed(word: str) -> str:
    return next(name for name in DEEDS if word.startswith(name.rstrip("e")))


def _lacking(said: Sentence, match: re.Match[str]) -> Found | None:
    """Demand an option of a command."""
    options = _options(said, match["flag"])
    groups = match.groupdict()
    if not options:
        return None
    if groups.get("deed"):
        commands = [DEEDS[_deed(groups["deed"])]]
    else:
        named = names(said, groups["what"], called=True)
        if not named or _tailed(named):
            return None
        commands = patterns(named)
    return (
        {
            "occasion": {"command": commands},
            "broken": {"without": options[:1]},
        },
        f"demands {quoted(options[:1])} of {quoted(commands)}",
    )


def _complete(said: Sentence, match: re.Match[str]) -> Found | None:
    """Demand the one option that a command is always to have: `git pull --rebase`."""
    named = names(said, match["what"], called=True)
    if len(named) != 1 or not named[0].words or len(named[0].tail) != 1 or not named[0].options:
        return None
    one = named[0]
    return (
        {
            "occasion": {"command": list(one.patterns)},
            "broken": {"without": list(one.tail)},
            "instead": " ".join((one.program, *one.words, *one.tail)),
        },
        f"demands {quoted(one.tail)} of {quoted(one.patterns)}",
    )


def _force(_: Sentence, __: re.Match[str]) -> Found | None:
    return _with(["git push"], _FORCE)


def _amend(_: Sentence, __: re.Match[str]) -> Found | None:
    return _with(["git commit"], ["--amend"])


def _unverified(_: Sentence, __: re.Match[str]) -> Found | None:
    return _with(["git commit", "git push"], ["--no-verify"])


def _trunk(_: Sentence, match: re.Match[str]) -> Found | None:
    branches = [found[1] for found in _TRUNK.finditer(match["branch"])]
    words = [form for name in branches for form in (name, f"*:{name}", f"refs/heads/{name}")]
    found = _with(["git push"], words)
    return found and (found[0], f"forbids a push that names {quoted(branches)}")


def _trailer(_: Sentence, __: re.Match[str]) -> Found | None:
    found = _with(["git commit"], TRAILERS)
    return found and (found[0], "forbids the client's own lines in a commit's message")


_PUSHED = (
    r"(?P<deed>push|commit|merge|rebase|pull|stash)(?:ing)?(?: (?:code|changes|commits?|anything))?"
)
_MESSAGES = (
    r"(?: (?:to|in|into|on|from) (?:the |any |your |our )?(?:git )?commits?(?: messages?)?)?"
)

FORMS: tuple[Form, ...] = (
    form(
        _settings,
        rf"{NEVER} (?:update|change|modify|touch|alter|edit) (?:the |any |my |our )?"
        rf"(?P<what>{SLOT})(?: settings)?{HERE}",
    ),
    form(_command, rf"{NEVER} (?P<run>{CALL}) {THE}(?P<what>{SLOTS}){HERE}"),
    form(_command, rf"{NEVER} (?P<what>{SLOTS}){HERE}"),
    form(
        _narrowed,
        rf"{NEVER} {CALL} {THE}(?P<what>{SLOTS}) (?:to|for) (?:edit|editing|change"
        rf"|modify|search|searching|find|read|reading|view)(?:ing)? ?(?:any |the |in "
        rf"|through )?(?:files?|code|content|text|source|the code ?base)?{HERE}",
    ),
    form(
        _command,
        rf"(?P<what>{SLOTS}) (?:is|are) (?:forbidden|banned|not allowed"
        rf"|prohibited){HERE}",
    ),
    form(
        _option,
        rf"{NEVER} {CALL} {THE}(?P<flag>{SLOTS})(?: flag| option)? (?:with|on|for|in"
        rf"|when (?:running|using)) {THE}(?P<what>{SLOTS}){HERE}",
    ),
    form(
        _option,
        rf"{NEVER} (?:pass|add|passing|adding) {THE}(?P<flag>{SLOTS})(?: flag|"
        rf" option)? to {THE}(?P<what>{SLOTS}){HERE}",
    ),
    form(_option, rf"{NEVER} {CALL} {THE}(?P<what>{SLOT}) with {THE}(?P<flag>{SLOTS}){HERE}"),
    form(_option, rf"{NEVER} (?:git )?{_PUSHED} (?:with|using) {THE}(?P<flag>{SLOTS}){HERE}"),
    form(
        _option,
        rf"{NEVER} {CALL} {THE}(?P<flag>{SLOTS})(?: flag| option)? (?:when|for|on"
        rf"|with) (?:git )?{_PUSHED}{HERE}",
    ),
    form(_option, rf"{NEVER} (?:{CALL}|pass) {THE}(?P<flag>{SLOTS}){HERE}"),
    form(_lacking, rf"{NEVER} {CALL} {THE}(?P<what>{SLOT}) without {THE}(?P<flag>{SLOT}){HERE}"),
    form(_lacking, rf"{NEVER} (?:git )?{_PUSHED} without {THE}(?P<flag>{SLOT}){HERE}"),
    form(
        _lacking,
        rf"(?:always )?(?:use|pass|add) {THE}(?P<flag>{SLOT})(?: flag| option)?"
        rf" (?:with|to|for|when (?:running|using|calling)) {THE}(?P<what>{SLOT}){HERE}",
    ),
    form(
        _lacking,
        rf"(?:always )?(?:run|use|call) {THE}(?P<what>{SLOT}) with"
        rf" {THE}(?P<flag>{SLOT})(?: flag| option)?{HERE}",
    ),
    form(_complete, rf"always (?:use|run) {THE}(?P<what>{SLOT}){HERE}"),
    form(
        _lacking,
        rf"(?:always )?(?:git )?{_PUSHED} with {THE}(?P<flag>{SLOT})(?: flag|"
        rf" option)?{HERE}",
    ),
    form(
        _force,
        rf"{NEVER} (?:do |use |run |make )?(?:a |any )?force[- ]push(?:ing|es|ed)?(?:"
        rf" (?:to )?(?:any|a|shared|the)? ?(?:branch|branches|changes|anything"
        rf"|remote))?{HERE}",
    ),
    form(
        _amend,
        rf"{NEVER} amend(?:ing)?(?: (?:any |existing |previous |published |a |the"
        rf" )*commits?)?{HERE}",
    ),
    form(
        _unverified,
        rf"{NEVER} (?:skip|skipping|bypass|bypassing) (?:the |any |our |git "
        rf"|pre-?commit |commit )*(?:hooks?|pre-?commit|verification){HERE}",
    ),
    form(
        _trunk,
        rf"{NEVER} (?:git )?push(?:ing)?(?: code| changes| commits| anything)?(?:"
        rf" directly| straight)? (?:to|on|onto|into)"
        rf" (?P<branch>{_TRUNK.pattern}(?:(?:/| or |,"
        rf" ){_TRUNK.pattern.replace('(main', '(?:main')})*){HERE}",
    ),
    form(
        _trailer,
        rf"{NEVER} (?:add|adding|include|including|put|mention|use|insert|append) (?:a"
        rf" |any |the )?(?:(?:claude(?: code)?|ai|anthropic|yourself)(?: as (?:a"
        rf" )?(?:co-?author|author))?|co-?authored?-?(?:by)?(?: claude)?|co-?authors?"
        rf"|(?:claude|ai)[ -](?:attribution|signatures?|credits?|footers?"
        rf"|trailers?))(?: (?:lines?|trailers?|footers?|attribution|credits?"
        rf"|signatures?|tags?))?{_MESSAGES}{HERE}",
    ),
)
