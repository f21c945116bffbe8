"""A sentence that prefers one way to another -> the check for it: "use uv, not pip".

Taking either way is the occasion, so that a session in which the right one was taken counts as
kept. The trap: a preference of words or of libraries ("composition over inheritance") looks the
same and has no commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.rules.guards.check import MOST
from memoria.rules.guards.from_text import mentions as mention
from memoria.rules.guards.from_text.everyday_names import (
    CODE,
    ERRANDS,
    FAMILIES,
    NARROWED,
    OWNERS,
    RUNNERS,
)
from memoria.rules.guards.from_text.forbidden_files import coded
from memoria.rules.guards.from_text.mentions import Named, slots
from memoria.rules.guards.from_text.phrase_patterns import (
    ALWAYS,
    CALL,
    ERRAND,
    HERE,
    NEVER,
    SLOT,
    SLOTS,
    THE,
    WHEN,
    form,
    names,
    patterns,
    quoted,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from memoria.rules.guards.from_text.mentions import Sentence
    from memoria.rules.guards.from_text.phrase_patterns import Form, Found


_PYTHONS = ("python", "python3")
# ways to run something that are ways to run other things as well
_VAGUE = frozenset({"mvn*", "gradle*", "make", "make check", "just check", "* run check*", "next"})
_PYTHON = Named("python*")


def _command(said: Sentence, match: re.Match[str]) -> Found | None:
    """Prefer commands to others: of the better ones all count, also with their options."""
    worse = names(said, match["worse"])
    better = names(said, match["better"], called=bool(worse))
    if better and not worse:
        return _not_with(said, better, match["worse"])
    if not worse or not better:
        return None
    if any(one.tail for one in worse):
        return _by_option(better, worse)
    return _weighed(better, worse, str(said.mentions[slots(match["better"])[0]].text))


def _weighed(better: Sequence[Named], worse: Sequence[Named], instead: str) -> Found | None:
    right, wrong = patterns(better), patterns(worse)
    runner = _runner(better[0]) if len(better) == 1 else ""
    if runner and all(one.program in _started(better[0]) for one in worse):
        return _under(worse, runner, instead)
    narrowed = [one.program for one in worse if one.program in NARROWED and not one.words]
    if set(right) & set(wrong) or (narrowed and len(worse) > 1):
        return None
    broken: dict[str, list[str]] = {"command": wrong}
    if narrowed:
        broken["with"] = list(NARROWED[narrowed[0]])
    return (
        {"occasion": {"command": [*right, *wrong]}, "broken": broken, "instead": instead},
        f"prefers {quoted(right)} to {quoted(wrong)}",
    )


def _runner(one: Named) -> str:
    """Give the program that runs others, where a command is one: "uv run" of `uv run pytest`."""
    line = " ".join((one.program, *one.words))
    return next((name for name in RUNNERS if f"{line} ".startswith(f"{name} ")), "")


def _started(one: Named) -> tuple[str, ...]:
    """Give the program that a runner is to start; python where it names none."""
    after = (*one.words[1:], *one.tail) if one.program != "npx" else (*one.words, *one.tail)
    return after[:1] or _PYTHONS


def _under(worse: Sequence[Named], runner: str, instead: str) -> Found:
    """Demand that commands are started by a runner."""
    wrong = patterns(worse)
    return (
        {"occasion": {"command": wrong}, "broken": {"not_under": [runner]}, "instead": instead},
        f"wants {quoted(wrong)} started by {quoted([runner])}",
    )


def _by_runner(said: Sentence, match: re.Match[str]) -> Found | None:
    named = names(said, match["what"], called=True) if match["what"] else [_PYTHON]
    runners = names(said, match["runner"], called=True)
    runner = _runner(runners[0]) if len(runners) == 1 else ""
    if not named or not runner or any(one.tail for one in named):
        return None
    return _under(named, runner, f"{runner} {named[0].program}")


def _by_option(better: Sequence[Named], worse: Sequence[Named]) -> Found | None:
    """Prefer one option of a command to another: push with a lease, not by force."""
    if len(worse) != 1 or len(worse[0].tail) != 1:
        return None
    one = worse[0]
    instead = " ".join((better[0].program, *better[0].words, *better[0].tail))
    return (
        {
            "occasion": {"command": list(one.patterns)},
            "broken": {"with": list(one.tail)},
            "instead": instead,
        },
        f"prefers {quoted([instead])} to {quoted(one.tail)}",
    )


def _not_with(said: Sentence, better: Sequence[Named], worse: str) -> Found | None:
    """Prefer a command with one option to the same with another: "..., not --force"."""
    options = [mention.option(said.mentions[number]) for number in slots(worse)]
    if len(better) != 1 or not better[0].options or not all(options):
        return None
    return _by_option(better, [better[0]._replace(tail=tuple(options))])


def _option(said: Sentence, match: re.Match[str]) -> Found | None:
    """Prefer an option to another one, of the command that owns either."""
    right, wrong = (
        [mention.option(said.mentions[number]) for number in slots(match[name])]
        for name in ("better", "worse")
    )
    if len(right) != 1 or len(wrong) != 1 or not right[0] or not wrong[0]:
        return None
    owners = OWNERS.get(wrong[0]) or OWNERS.get(right[0])
    if not owners:
        return None
    return (
        {
            "occasion": {"command": list(owners)},
            "broken": {"with": wrong},
            "instead": f"{owners[0]} {right[0]}",
        },
        f"prefers {quoted(right)} to {quoted(wrong)}",
    )


def _code(said: Sentence, match: re.Match[str]) -> Found | None:
    """Prefer something, whatever it is, to a piece of a program that is known."""
    ids = slots(match["worse"])
    spoken = [said.mentions[number].text.lower().removesuffix("()") for number in ids]
    if not ids or any(word not in CODE for word in spoken):
        return None
    return coded([mention.code(said.mentions[number]) for number in ids])


def _either(said: Sentence, match: re.Match[str]) -> Found | None:
    return _command(said, match) or _option(said, match) or _code(said, match)


def _errand(said: Sentence, match: re.Match[str]) -> Found | None:
    """Prefer one way to run tests (a linter, a formatter) to all other ways."""
    named = names(said, match["what"], called=True)
    kind = next((name for name in ERRANDS if name in match["errand"]), "")
    if len(named) != 1 or not kind:
        return None
    ways = [way for way in ERRANDS[kind] if way not in _VAGUE][: MOST - 1]
    right = patterns(named)
    return (
        {
            "occasion": {"command": [*ways, *right[:1]]},
            "broken": {"command": [f"!{one}" for one in right]},
            "instead": right[0],
        },
        f"wants {quoted(right)} for every {kind} run",
    )


def _family(said: Sentence, match: re.Match[str]) -> Found | None:
    """Prefer a package manager to all others of its family."""
    named = names(said, match["better"])
    if len(named) != 1 or named[0].tail:
        return None
    for family in FAMILIES:
        if named[0].program in family:
            right = list(family[named[0].program])
            wrong = [p for name, some in family.items() if name != named[0].program for p in some]
            return (
                {
                    "occasion": {"command": [*right, *wrong]},
                    "broken": {"command": wrong},
                    "instead": right[0],
                },
                f"names {quoted([named[0].program])} as the package manager",
            )
    return None


_USE = r"(?:use|prefer|run|using|choose|pick|favou?r|we use|go with)"
_NOT = (
    r"(?:,? (?:instead of|rather than|over|and not|not|never|and never|but not|as opposed to"
    r"|in place of)"
    rf"|[,.;] ?{NEVER}(?: (?:use|run|using))?| \(?(?:and )?not| \(instead of| \(never)"
)
# a space between each two, or the same words could be parted in a thousand ways
_ANY = r"[\w{}'/-]+(?: [\w{}'/-]+){0,6}"
_MANAGER = (
    r"(?:(?:as|for) (?:the |a |your |our |all )?(?:\w+ )?(?:package manage(?:r|ment)|packages"
    r"|dependenc(?:y|ies)(?: management)?|package installation"
    r"|installing (?:packages|dependencies)))"
)

FORMS: tuple[Form, ...] = (
    form(
        _errand,
        rf"(?:always |only )+{CALL} {ERRAND} (?:with|via|through|using|by) (?:running )?"
        rf"(?P<what>{SLOT})(?:,? never (?:directly|by hand))?{HERE}",
    ),
    form(
        _by_runner,
        rf"(?:always )?(?:run|execute|start|invoke|call|prefix)"
        rf" {THE}(?:(?P<what>{SLOTS})|python)(?: scripts?| commands?| files?)? (?:with"
        rf"|via|through|using|by) {THE}(?P<runner>{SLOT}){HERE}",
    ),
    form(
        _either,
        rf"{ALWAYS}{_USE} {THE}(?P<better>{SLOTS}){WHEN}{_NOT}"
        rf" {THE}(?P<worse>{SLOTS})\)?{WHEN}{HERE}",
    ),
    form(
        _either,
        rf"{ALWAYS}{_USE} {THE}(?P<better>{SLOTS}){WHEN}{_NOT}"
        rf" {THE}(?P<worse>{SLOTS})\)? (?:or|and) \w+{WHEN}{HERE}",
    ),
    form(
        _either,
        rf"(?P<better>{SLOTS}){WHEN},? (?:instead of|rather than|over|not|and not"
        rf"|never) {THE}(?P<worse>{SLOTS}){WHEN}{HERE}",
    ),
    form(
        _either,
        rf"{NEVER} (?:use|run|using) {THE}(?P<worse>{SLOTS}){WHEN}[,;.:(]? ?(?:but "
        rf"|always |instead )?{_USE} {THE}(?P<better>{SLOTS})\)?(?:"
        rf" instead)?{WHEN}{HERE}",
    ),
    form(
        _either,
        rf"(?:replace|swap) {THE}(?P<worse>{SLOTS}) (?:with|by|for)"
        rf" {THE}(?P<better>{SLOTS}){WHEN}",
    ),
    form(
        _either,
        rf"instead of (?:using |running )?{THE}(?P<worse>{SLOTS}){WHEN},? (?:always"
        rf" )?{_USE} {THE}(?P<better>{SLOTS}){WHEN}{HERE}",
    ),
    form(
        _family,
        rf"{ALWAYS}{_USE} {THE}(?P<better>{SLOT}) {_MANAGER}(?: \(?(?:and )?(?:not"
        rf"|instead of|never) [^.]*)?{HERE}",
    ),
    form(
        _code,
        rf"{ALWAYS}{_USE} {_ANY}(?: \w+)*? ?(?:instead of|rather than|and not|,? not|,"
        rf" never) {THE}(?P<worse>{SLOTS})(?: (?:statements?|calls?"
        rf"|types?))?{WHEN}{HERE}",
    ),
    form(
        _code,
        rf"{NEVER} (?:use|write|leave) {THE}(?P<worse>{SLOTS})(?: (?:statements?"
        rf"|calls?|types?))?[,;:.(]? ?(?:-+ )?{_USE} {_ANY}(?: instead)?{WHEN}",
    ),
)
