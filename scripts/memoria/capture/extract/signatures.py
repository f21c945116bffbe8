"""Make an error's signature of its line: what stays the same when the same thing goes wrong again.

What differs from one time to the next is masked by its kind (path, number, quoted text), by rules
alone: the groups of a clustering depend on what came before, and a signature stored last month
would mean something else today. The order of the masks is their meaning: a uuid holds hex, a
timestamp holds numbers, a path holds all of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.text.unicode import strip_ansi

if TYPE_CHECKING:
    from memoria.agents.transcript import Call

# A signature is shown to people and stored with every mistake; more than this says nothing new.
LONGEST = 200

_EARLY: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
        ),
        "<time>",
    ),
    (re.compile(r"\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s'\"`<>)\]]+", re.IGNORECASE), "<url>"),
    # A host: two labels and more before an ending that files and modules may have as well.
    (
        re.compile(
            r"(?<![\w./@-])(?:localhost|(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|internal|localdomain)"
            r"|(?:[a-z0-9-]+\.){2,}(?:io|cloud|co|eu|de|uk))(?::\d+)?(?![\w/(.-])"
        ),
        "<host>",
    ),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}\b"), "<email>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<ip>"),
)
# After the paths, which may hold them.
_LATE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<hex>"),
    (re.compile(r"(?<![\w.<])v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?\b"), "<n>"),
    # A git sha has seven digits and more; a word such as "defaced" has no digit.
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"), "<hex>"),
)
# A path: rooted, or of several parts, or with an extension and a position in the file.
_PATH = re.compile(
    r"(?<![\w<>])(?:[A-Za-z]:\\|~?/|\.{1,2}/)?"
    r"(?:[\w.@+~-]+[/\\])*[\w.@+~-]*(?:/|\\|\.[A-Za-z]\w{0,7}\b)[\w.@+~/\\*-]*"
    r"(?P<at>:\d+(?::\d+)?(?:-\d+)?)?"
)
_EXTENSION = re.compile(r"\.([A-Za-z]\w{0,4})(?::[\d:-]+)?$")
_SOURCE = frozenset(
    """py pyi go rs js jsx ts tsx mjs cjs java kt c h cc cpp hpp cs rb php swift sh sql md json
    jsonl yaml yml toml xml html css scss vue svelte lock txt log cfg ini env mod sum ex exs lua
    scala tf proto ipynb csv r dart zig""".split()  # noqa: SIM905 - a word list reads best as words
)
_QUOTED = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|`[^`\n]*`|(?<![\w)])'(?:\\.|[^'\\\n])*'(?!\w)|\u201c[^\u201d\n]*\u201d"
    r"|\u2018[^\u2019\n]*\u2019"
)
_TEST = re.compile(
    r"(?:[\w./-]+::)*(?:\b(?:Test|Benchmark|Fuzz|Example)[A-Z_]\w*(?:/[\w.#=,-]+)*"
    r"|\btest_\w+(?![\w./])(?:\[[^\]]*\])?)"
)
_NUMBER = re.compile(
    r"(?<![\w<])[-+]?\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?:%|[a-zµ]{1,3}\b)?", re.IGNORECASE
)
_REPEATED = re.compile(r"(<[a-z.]+>)(?:(?:,|\s|and|or|\|)+\1)+")
_SPACE = re.compile(r"\s+")
# What a compiler or linter speaks of: a dotted, camel-case or snake-case name, a call's name.
_NAME = re.compile(
    r"(?<![\w<])\*?[A-Za-z_]\w*(?:(?:\.|::|->)\w+)+|(?<![\w<])\*?[A-Za-z]+(?:[a-z][A-Z]|_)\w*"
    r"|(?<=undefined: )\w+|(?<=method )\w+|\b[A-Z]\w+(?=\(\))"
)


def _path(match: re.Match[str]) -> str:
    text = match[0]
    known = _EXTENSION.search(text)
    extension = known[1].lower() if known else ""
    if extension in _SOURCE:
        return f"<path.{extension}>"
    parts = re.split(r"[/\\]", text)
    rooted = text[0] in "/~" or text.startswith(("./", "../")) or text[1:3] == ":\\"
    # "and/or" and "1.5" are no paths: two plain words with a slash, or a dot alone, stay.
    looks = rooted or len(parts) > 2 or (len(parts) > 1 and re.search(r"[-_.\d]", text))  # noqa: PLR2004 - more than one slash
    return "<path>" if looks and re.search(r"\w", text) else text


def mask(line: str, *, names: bool = False) -> str:
    """Replace what differs from time to time; with `names` also the identifiers of code."""
    text = strip_ansi(line)[: LONGEST * 5]
    for pattern, token in _EARLY:
        text = pattern.sub(token, text)
    # In code a test's name is a name like any other.
    text = _PATH.sub(_path, text if names else _TEST.sub("<test>", text))
    for pattern, token in _LATE:
        text = pattern.sub(token, text)
    text = _QUOTED.sub("<q>", text)
    if names:
        text = _NAME.sub("<name>", text)
    text = _NUMBER.sub("<n>", text)
    return _SPACE.sub(" ", _REPEATED.sub(r"\1 ...", text)).strip()


def tool_of(call: Call) -> str:
    """Name what a call did, the same for every agent; a tool of no known kind by its own name."""
    if call.kind == "other":
        return call.name
    return "shell" if call.kind == "output" else call.kind


def signature(tool: str, kind: str, masked: str) -> str:
    """Join tool, kind and masked line to the text that names a cause."""
    return f"{tool} {kind} {masked}".strip()[:LONGEST].rstrip()
