"""Find secrets, active content and disguises in the files of a vault and its state.

A finding says where (`path` is relative to the vault or the state, line 0 is all of it) and of
which kind, never what. What stands in a fence or between backticks is no active content, but for
the fences that plugins run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.lint.finding import Finding
from memoria.privacy.secrets import redact
from memoria.rules.model import is_in_force, text_hash
from memoria.text.unicode import strip_hidden
from memoria.vault.storage.sync_services import copies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.rules.model import Rule

# each check, what it means to the person, in the order in which they are told
CHECKS: Mapping[str, str] = {
    "secret": "A key, password or token: change it where it is valid, then take it out here",
    "mode": "Others on this machine may read or write it: `chmod go= PATH` closes it",
    "active": "Content that runs, or asks another machine, when a note is opened",
    "plugin": "Obsidian plugins run code of their own with all your rights",
    "disguise": "Characters that nobody sees, or that look like others",
    "rule": "Rules whose note says active; that was not said on this machine",
    "copy": "Copies that a sync client has left; they are not read",
}
# a note's path and the hash of it as Memoria wrote it (compile/service.py), in the ledger's JSON
_HASHED = re.compile(r'("[a-z]+/[^"\s]+": ?)"[0-9a-f]{24}"')


_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)")
_INLINE_CODE = re.compile(r"(`+)(?!`).{1,400}?(?<!`)\1(?!`)")
# fences whose content a plugin runs when the note is opened
_RUN = re.compile(
    r"(?i)(?:dataviewjs|js-engine|jsx?:|tasksjs|templater|execute|run-\w+|meta-bind-js)"
)
_COMMENT = re.compile(r"<!--(?:(?!-->)[^\n]){0,4000}-->")
# what a page does by itself: embed, load, run; harmless tags (br, kbd, sub) are not told of
_TAG = re.compile(
    r"(?i)<\s*/?\s*(script|iframe|frame|object|embed|applet|form|input|button|svg|math|link|meta|base"
    r"|style|img|image|video|audio|source|body|html|template|marquee|portal)\b"
)
_HANDLER = re.compile(r"(?i)<[a-z][^<>\n]{0,200}\son[a-z]{3,20}\s{0,3}=")
_SCHEME = re.compile(
    r"(?i)(?:\]\(\s{0,3}<?|\]:\s{0,3}<?|<|href\s?=\s?[\"']?|src\s?=\s?[\"']?)"
    r"(javascript|vbscript|data|file|obsidian|shell|ms-\w+)\s{0,3}:"
)
_REMOTE_IMAGE = re.compile(r"(?i)!\[[^\[\]\n]{0,400}\]\(\s{0,3}<?(?:https?:)?//|!\[\[https?:")
_INLINE_RUN = re.compile(r"`\$=|<%[-_*+=~]?\s")
_MODE_OTHERS = 0o077

# kinds of secrets that are known by the name beside the value and not by their form
GUESSED = frozenset({"secret", "password"})


def secrets(path: str, text: str, known: Iterable[str] = ()) -> Iterator[Finding]:
    """Find secrets in a text; their place and kind, not what they are."""
    for secret in redact(text, known).found:
        yield Finding("secret", "error", path, secret.line, secret.kind)


def unhashed(text: str) -> str:
    """Take out what is ours in a file of the state: hashes of notes, beside the notes' paths.

    A note called `refresh-token` would else be a key with a value that looks like a secret's.
    """
    return _HASHED.sub(r"\1", text)


def disguises(path: str, text: str) -> Iterator[Finding]:
    """Find characters that hide text from people: zero width, bidi, tags, terminal codes."""
    if strip_hidden(text) == text.replace("\r\n", "\n").replace("\r", "\n"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if strip_hidden(line) != line:
            yield Finding("disguise", "warning", path, number, "invisible characters")


def active(path: str, text: str) -> Iterator[Finding]:
    """Find what a viewer of Markdown would run or fetch."""
    fence = ""
    for number, raw in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(raw)
        if mark and not fence:
            fence = mark["fence"]
            if _RUN.match(mark["language"]):
                message = f"a block that a plugin runs: {mark['language']}"
                yield Finding("active", "error", path, number, message)
        elif mark and mark["fence"].startswith(fence) and not mark["language"]:
            fence = ""
        elif not fence:
            for message in _acting(raw):
                yield Finding("active", "error", path, number, message)


def _acting(raw: str) -> Iterator[str]:
    if _INLINE_RUN.search(raw):
        yield "code that a plugin runs"
    line = _COMMENT.sub("", _INLINE_CODE.sub("", raw))
    if tag := _TAG.search(line):
        yield f"HTML: <{tag[1].lower()}>"
    if _HANDLER.search(line):
        yield "HTML with an event handler"
    if scheme := _SCHEME.search(line):
        yield f"a link to {scheme[1].lower()}:"
    if _REMOTE_IMAGE.search(line):
        yield "an image of another machine: opening the note tells it so"


def mode(path: str, bits: int) -> Iterator[Finding]:
    """Judge the permission bits of a file or folder that is for its owner alone."""
    if bits & _MODE_OTHERS:
        yield Finding("mode", "error", path, 0, f"its mode is {bits & 0o777:04o}")


def plugins(paths: Iterable[str]) -> Iterator[Finding]:
    """Find code for Obsidian among paths relative to the vault."""
    code: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        if parts[:2] == [".obsidian", "plugins"] and len(parts) > 2:  # noqa: PLR2004 - the plugin's own folder is the third
            code["/".join(parts[:3])] = f"the plugin {parts[2]}"
        elif parts[0] == ".obsidian" and path.endswith(".js"):
            code[path] = "a script"
    for path, message in code.items():
        yield Finding("plugin", "warning", path, 0, message)


def conflicts(paths: Iterable[str]) -> Iterator[Finding]:
    """Find the copies of sync clients."""
    for path, of in copies(paths).items():
        yield Finding("copy", "warning", path, 0, f"a copy of {of}")


def unapproved(
    rules: Iterable[Rule], approvals: Mapping[str, str], injected: Iterable[str]
) -> Iterator[Finding]:
    """Find rules whose note claims an approval, and such that hooks would inject without one.

    `injected` are the ids in what the hooks read.
    """
    allowed = set()
    for rule in rules:
        if is_in_force(rule, approvals):
            allowed.add(rule.id)
        elif rule.status == "active" and not rule.superseded_by:
            why = "its words were changed since" if rule.id in approvals else "not by you, here"
            if approvals.get(rule.id) == text_hash(rule.text):
                why = "but its words are disguised"
            message = f"{rule.id} says {rule.status}, {why}; `memoria review` decides"
            yield Finding("rule", "warning", f"knowledge/{rule.path}.md", 0, message)
    for identity in sorted(set(injected) - allowed):
        message = f"{identity} would be told and is not approved; `memoria flush` makes it anew"
        yield Finding("rule", "error", "hooks.json", 0, message)
