"""A sentence that forbids to touch a file or to write a piece of code -> the check for it.

Any file that is written is the occasion of a path, any of the language that of a piece of code; the
files outside the project (the client's plans, a scratch folder) are none. The trap: `any`, `print`
and `main` are words, so only what is marked as code, or cannot be a word, is code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.rules.guards.from_text import mentions as mention
from memoria.rules.guards.from_text.everyday_names import CODE, OUTSIDE, SOURCES
from memoria.rules.guards.from_text.mentions import slots
from memoria.rules.guards.from_text.phrase_patterns import HERE, NEVER, SLOTS, THE, form, quoted

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from memoria.rules.guards.from_text.mentions import Sentence
    from memoria.rules.guards.from_text.phrase_patterns import Form, Found


# -- Paths ----------------------------------------------------------------------------------------


def _globs(said: Sentence, text: str) -> list[str]:
    found = [mention.path(said.mentions[number]) for number in slots(text)]
    return [glob for globs in found for glob in globs] if found and all(found) else []


def _path(said: Sentence, match: re.Match[str]) -> Found | None:
    globs = _globs(said, match["path"])
    if not globs:
        return None
    return (
        {"occasion": {"path": ["**/*", OUTSIDE]}, "broken": {"path": globs}},
        f"forbids to edit {quoted(globs)}",
    )


def _unread(said: Sentence, match: re.Match[str]) -> Found | None:
    globs = _globs(said, match["path"])
    if not globs:
        return None
    return (
        {"occasion": {"reads": ["**/*"]}, "broken": {"reads": globs}},
        f"forbids to read {quoted(globs)}",
    )


def _staged(said: Sentence, match: re.Match[str]) -> Found | None:
    globs = _globs(said, match["path"])
    if not globs:
        return None
    words = [glob.replace("**/", "*/").replace("/**", "/*") for glob in globs]
    return (
        {"occasion": {"command": ["git add"]}, "broken": {"with": words}},
        f"forbids to add {quoted(globs)} to a commit",
    )


def _created(_: Sentence, match: re.Match[str]) -> Found | None:
    kind = match["kind"]
    globs = ["README*"] if kind.startswith("readme") else ["*.md"]
    return (
        {"occasion": {"tools": ["Write"], "path": ["**/*", OUTSIDE]}, "broken": {"path": globs}},
        f"forbids to write {quoted(globs)}",
    )


# -- Code -----------------------------------------------------------------------------------------


def _code(said: Sentence, match: re.Match[str]) -> Found | None:
    found = [mention.code(said.mentions[number]) for number in slots(match["code"])]
    return coded(found)


def coded(found: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> Found | None:
    """Forbid pieces of a program, all of one language."""
    if not found or any(not texts for texts, _ in found):
        return None
    files = found[0][1] or SOURCES
    if any((one[1] or SOURCES) != files for one in found):
        return None
    texts = [text for one in found for text in one[0]]
    return (
        {"occasion": {"path": [*files, OUTSIDE]}, "broken": {"added": texts}},
        f"forbids to write {quoted(texts)}",
    )


def _known_code(_: Sentence, match: re.Match[str]) -> Found | None:
    return coded([CODE[match["word"].replace("debugger statements", "debugger")]])


_EDITING = (
    r"(?:edit|editing|modify|modifying|touch|touching|change|changing|alter|altering|update"
    r"|updating|write|writing|write to|writing to|overwrite|make changes|making changes|make edits"
    r"|create|add|put|edit or create|modify or delete|edit or delete)"
)
_FILES = (
    r"(?: (?:any |the |our |existing |generated |vendored |source )*(?:files?|code|anything"
    r"|something|content|contents))?"
)
_WITHIN = r"(?: (?:in|under|inside|within|to|of|at))?"
_KIND = r"(?: (?:directory|directories|folders?|files?|dirs?|itself|trees?))?"
_CODING = (
    r"(?: (?:use|using|leave|leaving|add|adding|write|writing|commit|committing|introduce"
    r"|include|put|call|calling|keep|allow))?"
)
_DEBUG = r"(?: (?:any|debug|the|a|an|stray|leftover))*"
_CODES = (
    r"(?: (?:statements?|calls?|logs?|comments?|types?|keyword|in (?:the |this |our |any )?"
    r"(?:code ?base|code|production|production code|committed code|source|new code|commits?"
    r"|final code|project|repo)|casts?|casting|assertions?|directives?|suppressions?"
    r"|for (?:debugging|logging|output)|directly|anywhere|ever|behind|function))*"
)

FORMS: tuple[Form, ...] = (
    form(_path, rf"{NEVER} {_EDITING}{_FILES}{_WITHIN} {THE}(?P<path>{SLOTS}){_KIND}{HERE}"),
    form(
        _path,
        rf"(?P<path>{SLOTS}){_KIND} (?:is|are) (?:read-?only|generated|auto-?generated"
        rf"|off limits)(?:,? (?:and|so)?,? ?(?:{NEVER}) (?:edit|touch|modify|change)"
        rf" (?:it|them))?{HERE}",
    ),
    form(
        _unread,
        rf"{NEVER} (?:read|open|look at|access|cat|view) {THE}(?:files? (?:in|under)"
        rf" )?(?P<path>{SLOTS}){_KIND}{HERE}",
    ),
    form(
        _staged,
        rf"{NEVER} (?:commit|committing|stage|git add|check in)"
        rf" {THE}(?P<path>{SLOTS}){_KIND}{HERE}",
    ),
    form(
        _created,
        rf"{NEVER} (?:create|write|add|creating|writing|adding|generate)(?: any| new|"
        rf" extra| additional| more| unnecessary| a)* (?P<kind>markdown|documentation"
        rf"|readme|\.md|docs?)(?: or (?:readme|markdown|documentation))?(?:"
        rf" files?)?{HERE}",
    ),
    form(_code, rf"{NEVER}{_CODING}{_DEBUG} (?P<code>{SLOTS}){_CODES}"),
    form(_known_code, rf"{NEVER}{_CODING}{_DEBUG} (?P<word>debugger)(?: statements?){_CODES}"),
)
