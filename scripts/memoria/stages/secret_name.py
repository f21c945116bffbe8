r"""Text -> the values that stand behind a name such as `api_token`, where they are secrets.

The name says that a secret may follow, the value whether one does: code, settings and prose are
full of `token = next_token()`. Searched by the name's word, then read outwards, because a pattern
that begins with "any name" would be tried at every letter. The trap: `max_tokens: 4096`,
`secretName: tls` and `primary_key` are names of the same words; their last or first word tells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.stages.secret_value import is_code, is_password, is_random

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hit(NamedTuple):
    """A secret found: its span in the text searched, and its kind."""

    start: int
    end: int
    kind: str


_WORD = re.compile(
    r"token|secret|passw|passphrase|passcode|pass\b|pwd|_pw\b|credential|key\b|_auth\b"
)
_HEAD = re.compile(r"[\w.-]{0,60}\Z")
# No name is longer; the way back to its beginning is cut there.
_LONGEST_NAME = 60
# So much of a bare value is looked at; what goes on is taken with it.
_JUDGED = 400
_VALUE = rf"""(?:
    [rbuRBU]{{0,2}}(?P<quote>["'`])(?P<quoted>(?:(?!(?P=quote))[^\n]){{4,8000}}?)(?P=quote)
  | (?P<bare>[^\s"'`,;<>(){{}}\[\]|&\\]{{4,{_JUDGED}}})
)"""
_REST = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]*""")
_AFTER = re.compile(
    r"""(?P<rest>[\w.-]{0,40})
    (?:
      ["'`]?\s?:\s?[A-Za-z][\w.\[\]| ?]{0,30}?\s?=\s{0,2}(?=["'])   # token: str = "..."
    | ["'`\])]{0,3}\s{0,8}(?:[A-Za-z]{2,10}\s{1,2})??(?::{0,2}=|\?{1,2}=|=>|={2,3}|:)\s{0,20}
    | ["']\s?,\s?(?=["'])                                            # ("TOKEN", "...")
    | >\s{0,40}                                                      # <token>...
    | ["']?,?\s{1,20}["']?value["']?\s?[:=]\s?                       # name: X_TOKEN, value: ...
    | (?P<prose>\s(?:is|was)(?:\snow)?:?\s["'`]?)
    | (?P<space>\s{1,3})                                             # --token ...
    )"""
    + _VALUE,
    re.VERBOSE,
)
# In a sentence ("the password is ...") a value has to be more than a word with a digit.
_LEAST_IN_PROSE = {"password": 8, "token": 12, "key": 20, "lone key": 20}
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD = ("password", "passwd", "passphrase", "passcode", "pwd", "pass", "passwort")
_TOKEN = ("token", "secret", "credential", "credentials", "tokens", "secrets", "auth")
# `X key` is a secret for these X; for others its value decides alone; for the last it never is.
_KEY_OF = {"api", "access", "private", "auth", "encryption", "signing", "master", "account",
           "client", "subscription", "license", "shared", "webhook", "app", "admin", "deploy",
           "service", "session", "secret", "application", "consumer", "integration", "server",
           "write", "read", "ingest"}  # fmt: skip
_NO_KEY_OF = {"public", "primary", "foreign", "cache", "sort", "partition", "row", "idempotency",
              "object", "hash", "map", "unique", "group", "lookup", "storage", "dict", "json",
              "cell", "sorting", "translation", "i18n", "query", "react", "host", "pub", "state",
              "arrow", "enter", "shift", "ctrl", "column", "field", "index", "config", "dedupe",
              "cursor", "hot", "metric", "session", "blob", "path", "branch"}  # fmt: skip
# A name that ends so speaks of a secret and holds none.
_ABOUT = {"name", "names", "path", "file", "dir", "url", "uri", "endpoint", "type", "kind", "count",
          "counts", "length", "len", "size", "limit", "expiry", "expires", "expiration", "ttl",
          "field", "label", "header", "prefix", "suffix", "pattern", "regex", "policy", "budget",
          "usage", "format", "var", "ref", "arn", "version", "class", "method", "provider",
          "manager", "issuer", "hint", "title", "column", "id", "ids", "hash", "sum", "index",
          "min", "max", "at", "env", "rotation", "strength", "template", "store", "scanner",
          "scope", "scopes", "status", "error", "validator", "description",
          "algorithm"}  # fmt: skip
# Not about a person's rights: where to go on reading a list, which token of a model.
_NO_TOKEN_OF = {"next", "page", "continuation", "previous", "prev", "max", "min", "total", "stop",
                "special", "bos", "eos", "pad", "input", "output", "cancellation"}  # fmt: skip
_TOKEN_WORDS = (["token"], ["tokens"])


def _words(name: str) -> list[str]:
    return [word.lower() for word in _PARTS.findall(name)]


def _kind(name: str) -> str:
    """Tell what a name announces: "password", "token", the weaker "key" and "lone key", or ""."""
    words = _words(name)
    if (
        not words
        or words[-1] in _ABOUT
        or (words[0] in _NO_TOKEN_OF and words[1:2] in _TOKEN_WORDS)
    ):
        return ""
    if any(word.endswith(_PASSWORD) or word == "pw" for word in words):
        return "password"
    if any(word.endswith(_TOKEN) for word in words):
        return "token"
    if not words[-1].endswith("key"):
        return ""
    owner = words[-1].removesuffix("key") or (words[-2] if len(words) > 1 else "")
    if owner in _NO_KEY_OF:
        return ""
    return "token" if owner in _KEY_OF else "key" if owner else "lone key"


def _holds(kind: str, value: str, *, quoted: bool) -> bool:
    """Say whether the value is a secret of the kind that its name announces."""
    if not quoted and is_code(value):
        return False
    if kind == "password":
        return is_password(value, quoted=quoted)
    # Keys that are handed out have 14 characters and more; a bare "key" needs a better look.
    if kind == "token":
        return is_random(value, 14)
    # A hash is kept under a lone `key` as often as a key is.
    mixed = value != value.lower() and value != value.upper()
    return is_random(value, 20) and (mixed or kind == "key")


def _value(after: re.Match[str], name: str, kind: str) -> tuple[int, int] | None:
    """Give the span of the value behind a name; None for what is no value."""
    quoted = after["quoted"] is not None
    lone = name.lower() == "pass"  # also a verb, and what test runners say
    # `--token X`, and in SQL `PASSWORD 'X'`; elsewhere two words beside each other are prose.
    if after["space"] and not name.startswith("-") and (lone or not quoted or kind != "password"):
        return None
    if quoted:
        return after.span("quoted")
    start, end = after.span("bare")
    if lone or after.string[end : end + 1] in {"(", "[", "{"}:
        return None  # a call, an index, a template
    # What ends a sentence or a piece of Markdown ends no secret.
    return start, start + len(after["bare"].rstrip(".:*`"))


def _name(word: re.Match[str], after: re.Match[str]) -> str:
    """Read the whole name a word is part of, "" for a part of `arn:aws:...:secret:prod/db`."""
    head = _HEAD.search(after.string, max(0, word.start() - _LONGEST_NAME), word.start())
    begin, end = head.start() if head else word.start(), after.end("rest")
    between = begin > 0 and after.string[begin - 1] == ":" == after.string[end : end + 1]
    return "" if between else after.string[begin:end]


def _at(word: re.Match[str], text: str) -> Hit | None:
    """Find the secret behind one word."""
    after = _AFTER.match(text, word.end())
    name = _name(word, after) if after else ""
    kind = _kind(name)
    span = _value(after, name, kind) if after and kind else None
    if after is None or span is None:
        return None
    start, end = span
    # `NAME=value` is a setting: there a word is a value and no variable, as it is after an option.
    setting = name.isupper() and text[start - 1] == "="
    sure = after["quoted"] is not None or name.startswith("-") or setting
    if after["prose"] and not is_random(text[start:end], _LEAST_IN_PROSE[kind]):
        return None
    if not _holds(kind, text[start:end], quoted=sure):
        return None
    if end - start == _JUDGED and (rest := _REST.match(text, end)):
        end = rest.end()
    return Hit(start, end, "password" if kind == "password" else "secret")


def named(text: str) -> Iterator[Hit]:
    """Find secrets by the names they stand behind; only the value is the secret."""
    lower = text.lower()
    # A few letters have a lower case of two characters; there the offsets would not agree.
    done, names = 0, lower if len(lower) == len(text) else text
    for word in _WORD.finditer(names):
        if word.start() >= done and (hit := _at(word, text)):
            done = hit.end
            yield hit
