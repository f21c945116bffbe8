"""The everyday phrases that rules are made of, as pieces of patterns over a sentence's frame.

Every form of a rule is matched whole, so a phrase lists what may be said without changing the
meaning, and nothing else. The trap: "unless", "if" and "in tests" change it, and are in no phrase.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memoria.rules.guards.from_text import mentions as mention
from memoria.rules.guards.from_text.mentions import slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from re import Match, Pattern

    from memoria.rules.guards.from_text.mentions import Named, Sentence

    # a check as data, and what of the rule it rests on
    Found = tuple[dict[str, Any], str]
    Form = tuple[Pattern[str], Callable[[Sentence, Match[str]], Found | None]]

# patterns in a reason, which is one line
_SHOWN = 4
SLOT = r"\{\d+\}"
SLOTS = rf"{SLOT}(?:(?:\s*,\s*(?:or |and |nor )?|\s+(?:or|and|nor)\s+|\s*/\s*){SLOT})*"
NEVER = (
    r"(?:(?:you |we |i )?(?:must |should |may |can |do |will )?(?:never|not)(?: ever)?"
    r"|(?:you |we )?(?:don't|dont|mustn't|shouldn't|can't|cannot)(?: ever)?"
    r"|never ever|avoid|no more|no|stop|under no circumstances)"
)
CALL = r"(?:use|using|run|running|execute|executing|call|calling|invoke|invoking)"
ALWAYS = r"(?:always |only |exclusively |first,? )?"
THE = (
    r"(?:the |a |an |any |all |our |your )?"
    r"(?:obsolete |deprecated |legacy |old |plain |raw |bare |local )?"
)
# it narrows nothing, or says what is meant anyway
HERE = (
    r"(?:,? (?:here|anywhere|ever|at all|again|please|directly|manually|by hand|yourself|any ?more"
    r"|in (?:this|the|our) (?:repo|repository|project|code ?base)|for (?:this|our) project"
    r"|under any circumstances?|for any reason|no matter what|commands?|flags?|options?))*"
)
WHEN = (
    r"(?:,? (?:when(?:ever)? (?:available|possible)|where possible|for (?:[\w-]+ ){0,4}[\w-]+"
    r"|to (?:install|manage|search|run|find|add|list|look|build|format|lint|test|start|execute)"
    r"(?: [\w-]+){0,5}|commands?"
    r"|when (?:searching|installing|running)(?: [\w-]+){0,3}"
    r"|as (?:a |the |our |your )?(?:[\w-]+ ){0,3}[\w-]+))?"
)
DEED = (
    r"(?P<deed>(?:you )?(?:git )?(?:commit(?:ting)?|push(?:ing)?|merg(?:e|ing)|rebas(?:e|ing))"
    r"(?: (?:any |your |the |all )?(?:code|changes|anything|work|commits?|to \w+))?"
    r"|(?:each|every|any|a|the|your) (?:git )?(?:commit|push|merge)|commits|pushes|merges"
    r"|(?:you )?(?:open|creat|mak|submitt?|rais)(?:ing|e)? (?:a |an |the |any )?"
    r"(?:new )?(?:prs?|pull requests?)|(?:each|every|any|a) (?:pr|pull request)|prs?)"
)
CHANGED = (
    r"(?:(?:each|every|any|all|your)(?: code| file| major| significant)?"
    r" (?:change|edit|modification)s?"
    r"|(?:you )?(?:making|make|doing) (?:any |code |your )?(?:changes?|edits?|modifications?)"
    r"|(?:you )?(?:changing|editing|modifying|change|edit|modify) (?:any |the )?"
    r"(?:code|files?|source))"
)
_WORK = (
    r"(?:test suite|tests?|linters?|lint|linting|formatters?|formatting"
    r"|type[- ]?check(?:er|s|ing)?|build)"
)
ERRAND = (
    r"(?P<errand>(?:the |all |your |our |full |whole |entire |unit |relevant |any )*"
    rf"{_WORK}(?:(?:,? and |, )(?:the )?{_WORK})*)"
)
PASSING = r"(?: (?:must |should |always )?(?:pass|passes|succeeds?|(?:is|are) (?:green|passing)))"


def form(make: Callable[[Sentence, Match[str]], Found | None], pattern: str) -> Form:
    """Make a form: the pattern of a whole frame, and what makes a check of what it matched."""
    return re.compile(pattern), make


def names(said: Sentence, text: str, *, called: bool = False) -> list[Named]:
    """Give the commands of a part of the frame; none where one of its mentions is no command.

    `called` says that the rule speaks of running what is mentioned.
    """
    found: list[Named] = []
    for number in slots(text):
        one = said.mentions[number]
        for piece in one.text.split("&&"):
            named = mention.command(one._replace(text=piece.strip()), called=called)
            if named is None:
                return []
            found.append(named)
    return found


def patterns(found: Iterable[Named]) -> list[str]:
    """Give the patterns of commands, each once."""
    return list(dict.fromkeys(pattern for one in found for pattern in one.patterns))


def quoted(words: Iterable[str]) -> str:
    """Show the first few words as code, for a reason."""
    return ", ".join(f"`{word}`" for word in list(words)[:_SHOWN])
