"""Make an error's signature of its line: what stays the same when the same thing goes wrong again.

What differs from one time to the next is masked by its kind (path, number, quoted text), by rules
alone: the groups of a clustering depend on what came before, and a signature stored last month
would mean something else today. The order of the masks is their meaning: a uuid holds hex, a
timestamp holds numbers, a path holds all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import strip_ansi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.agents.transcript import Call


# A signature is shown to people and stored with every mistake; more than this says nothing new.
LONGEST = 200

# By pattern, what stands for what it finds; the order is their meaning.
_MASKS_BEFORE_PATHS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        lazy_pattern(
            r"\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
        ),
        "<time>",
    ),
    (lazy_pattern(r"\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (lazy_pattern(r"(?i)\b[a-z][a-z0-9+.-]{1,15}://[^\s'\"`<>)\]]+"), "<url>"),
    # A host: two labels and more before an ending that files and modules may have as well.
    (
        lazy_pattern(
            r"(?<![\w./@-])(?:localhost|(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|internal|localdomain)"
            r"|(?:[a-z0-9-]+\.){2,}(?:io|cloud|co|eu|de|uk))(?::\d+)?(?![\w/(.-])"
        ),
        "<host>",
    ),
    (lazy_pattern(r"\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}\b"), "<email>"),
    (lazy_pattern(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<ip>"),
)
# Paths may hold what these find.
_MASKS_AFTER_PATHS: tuple[tuple[re.Pattern[str], str], ...] = (
    (lazy_pattern(r"(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"), "<uuid>"),
    (lazy_pattern(r"(?i)\b0x[0-9a-f]+\b"), "<hex>"),
    (lazy_pattern(r"(?<![\w.<])v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?\b"), "<n>"),  # "v1.2.3-rc1"
    # A git sha has seven digits and more; a word such as "defaced" has no digit.
    (lazy_pattern(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"), "<hex>"),
)
# "/tmp/x", "./a", "src/app", "app.go:12:3": rooted, of several parts, or with an extension
_PATH = lazy_pattern(
    r"(?<![\w<>])(?:[A-Za-z]:\\|~?/|\.{1,2}/)?"
    r"(?:[\w.@+~-]+[/\\])*[\w.@+~-]*(?:/|\\|\.[A-Za-z]\w{0,7}\b)[\w.@+~/\\*-]*"
    r"(?P<at>:\d+(?::\d+)?(?:-\d+)?)?"
)
_EXTENSION = lazy_pattern(r"\.([A-Za-z]\w{0,4})(?::[\d:-]+)?$")  # ".go:12"
_KNOWN_EXTENSIONS = frozenset(
    """py pyi go rs js jsx ts tsx mjs cjs java kt c h cc cpp hpp cs rb php swift sh sql md json
    jsonl yaml yml toml xml html css scss vue svelte lock txt log cfg ini env mod sum ex exs lua
    scala tf proto ipynb csv r dart zig""".split()  # noqa: SIM905 - a word list reads best as words
)
_QUOTED = lazy_pattern(  # in any quotes; an apostrophe within a word is none
    r"\"(?:\\.|[^\"\\\n])*\"|`[^`\n]*`|(?<![\w)])'(?:\\.|[^'\\\n])*'(?!\w)|\u201c[^\u201d\n]*\u201d"
    r"|\u2018[^\u2019\n]*\u2019"
)
_TEST = lazy_pattern(  # "TestLogin/with_token", "pkg::test_login[a-b]"
    r"(?:[\w./-]+::)*(?:\b(?:Test|Benchmark|Fuzz|Example)[A-Z_]\w*(?:/[\w.#=,-]+)*"
    r"|\btest_\w+(?![\w./])(?:\[[^\]]*\])?)"
)
_NUMBER = lazy_pattern(  # "-1,200.5", "3e-7", "12ms", "40%"
    r"(?i)(?<![\w<])[-+]?\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?:%|[a-zµ]{1,3}\b)?"
)
_REPEATED_MASK = lazy_pattern(r"(<[a-z.]+>)(?:(?:,|\s|and|or|\|)+\1)+")  # "<n>, <n> and <n>"
_SPACE = lazy_pattern(r"\s+")
# What a compiler or linter speaks of: "a.b", "readConfig", "user_id", "undefined: x", "Close()"
_NAME = lazy_pattern(
    r"(?<![\w<])\*?[A-Za-z_]\w*(?:(?:\.|::|->)\w+)+|(?<![\w<])\*?[A-Za-z]+(?:[a-z][A-Z]|_)\w*"
    r"|(?<=undefined: )\w+|(?<=method )\w+|\b[A-Z]\w+(?=\(\))"
)


def _mask_path(match: re.Match[str]) -> str:
    text = match[0]
    suffix = _EXTENSION.search(text)
    extension = suffix[1].lower() if suffix else ""
    if extension in _KNOWN_EXTENSIONS:
        return f"<path.{extension}>"
    parts = re.split(r"[/\\]", text)
    is_rooted = text[0] in "/~" or text.startswith(("./", "../")) or text[1:3] == ":\\"
    # "and/or" and "1.5" are no paths: two plain words with a slash, or a dot alone, stay.
    is_path = is_rooted or len(parts) > 2 or (len(parts) > 1 and re.search(r"[-_.\d]", text))  # noqa: PLR2004 - more than one slash
    return "<path>" if is_path and re.search(r"\w", text) else text


def mask(line: str, *, names: bool = False) -> str:
    """Replace what differs from time to time; with `names` also the identifiers of code."""
    text = strip_ansi(line)[: LONGEST * 5]
    for pattern, token in _MASKS_BEFORE_PATHS:
        text = pattern.sub(token, text)
    # In code a test's name is a name like any other.
    text = _PATH.sub(_mask_path, text if names else _TEST.sub("<test>", text))
    for pattern, token in _MASKS_AFTER_PATHS:
        text = pattern.sub(token, text)
    text = _QUOTED.sub("<q>", text)
    if names:
        text = _NAME.sub("<name>", text)
    text = _NUMBER.sub("<n>", text)
    return _SPACE.sub(" ", _REPEATED_MASK.sub(r"\1 ...", text)).strip()


def tool_of(call: Call) -> str:
    """Name what a call did, the same for every agent; a tool of no known kind by its own name."""
    if call.kind == "other":
        return call.name
    return "shell" if call.kind == "output" else call.kind


def build_signature(tool: str, kind: str, masked: str) -> str:
    """Join tool, kind and masked line to the text that names a cause."""
    return f"{tool} {kind} {masked}".strip()[:LONGEST].rstrip()


_MIN_FIXED_WORDS = 2  # that stay when what varies is left out, or the rest names no cause
# Other words in one place, with more of the rest in common, before it is a place for any word.
_MIN_VALUES, _MIN_REST_WORDS = 3, 3
_VARIABLE = lazy_pattern(
    r"<[a-z.]+>|\d|[_/\\@=$]|\w[.:]\w|[a-z][A-Z]"
)  # a part of a token that varies
_RULE_CODE = lazy_pattern(r"\W*[A-Z]{1,6}\d{2,5}\W*")  # E501, TS2322: names a rule and not a thing
_WORD = lazy_pattern(r"\W*[A-Za-z][A-Za-z'-]+\W*")
_ANY = "*"
_CORRECTION_PREFIX = "user "  # A correction's signature is a set of words and no line.
_MIN_SHARED_WORDS, _MIN_EXCHANGED_WORDS = 2, 3


def group_families(signatures: Iterable[str]) -> Mapping[str, str]:
    """Join near signatures; give each one's family, named by its shortest, then first member.

    The same signatures give the same table in any order. More signatures can join families that
    were two, never part one, and can give a family another, shorter name. So a name that was
    stored is to be looked up in the table again: it is a signature itself, and is found there.
    """
    ordered = sorted(set(signatures), key=lambda mark: (len(mark), mark))
    parent = {mark: mark for mark in ordered}
    errors = [mark for mark in ordered if not mark.startswith(_CORRECTION_PREFIX)]
    corrections = [mark for mark in ordered if mark.startswith(_CORRECTION_PREFIX)]
    for group in (
        *_group_same_lines(errors),
        *_group_varying_word(errors),
        *_group_corrections(corrections),
    ):
        for mark in group[1:]:
            roots = _find_root(parent, group[0]), _find_root(parent, mark)
            # the shorter, then earlier of their names
            shorter, longer = sorted(roots, key=lambda name: (len(name), name))
            parent[longer] = shorter
    return {mark: _find_root(parent, mark) for mark in ordered}


def _find_root(parent: dict[str, str], signature: str) -> str:
    while parent[signature] != signature:
        parent[signature] = parent[parent[signature]]
        signature = parent[signature]
    return signature


def _split_signature(signature: str) -> tuple[str, str, list[str]]:
    tool, _, rest = signature.partition(" ")
    kind, _, text = rest.partition(" ")
    return tool, kind, text.split()


def _group_same_lines(signatures: Iterable[str]) -> Iterator[list[str]]:
    """Groups that are one line but for what varies."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for signature in signatures:
        tool, kind, tokens = _split_signature(signature)
        template = _build_template(tokens)
        if _count_fixed_words(template) >= _MIN_FIXED_WORDS:
            groups[(tool, kind, *template)].append(signature)
    yield from groups.values()


def _build_template(tokens: list[str]) -> list[str]:
    """The line with one star for each run of what varies."""
    template: list[str] = []
    for token in tokens:
        is_varying = bool(_VARIABLE.search(token)) and not _RULE_CODE.fullmatch(token)
        if is_varying and template[-1:] == [_ANY]:
            continue
        template.append(_ANY if is_varying else token)
    return template


def _count_fixed_words(template: Iterable[str]) -> int:
    return sum(bool(_WORD.fullmatch(token)) for token in template)


def _group_varying_word(signatures: Iterable[str]) -> Iterator[list[str]]:
    """Groups that have all words but one in common, where that one is many."""
    places: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for signature in signatures:
        tool, kind, tokens = _split_signature(signature)
        template = _build_template(tokens)
        for index, token in enumerate(template):
            if not index and token.endswith(":"):
                continue  # the program that speaks; another one says it of another thing
            rest = (*template[:index], _ANY, *template[index + 1 :])
            if _count_fixed_words(rest) >= _MIN_REST_WORDS:
                places[(tool, kind, *rest)][token].append(signature)
    for values in places.values():
        if len(values) >= (2 if _ANY in values else _MIN_VALUES):
            yield [signature for group in values.values() for signature in group]


def _group_corrections(signatures: Iterable[str]) -> Iterator[list[str]]:
    """Groups of corrections that differ in one word: one added, or one in another's place."""
    groups: dict[tuple[str, frozenset[str]], list[str]] = defaultdict(list)
    full_keys: set[tuple[str, frozenset[str]]] = set()
    for signature in signatures:
        _, kind, tokens = _split_signature(signature)
        words = frozenset(tokens)
        full_keys.add((kind, words))
        for subset in (words, *(words - {word} for word in words)):
            if len(subset) >= _MIN_SHARED_WORDS:
                groups[kind, subset].append(signature)
    for key, group in groups.items():
        if key in full_keys or len(key[1]) >= _MIN_EXCHANGED_WORDS:
            yield group
