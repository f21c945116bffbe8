r"""Text -> the values that stand behind a name such as `api_token`, where they are secrets.

The name says that a secret may follow, the value whether one does: code, settings and prose are
full of `token = next_token()`. Searched by the name's word, then read outwards, because a pattern
that begins with "any name" would be tried at every letter. The trap: `max_tokens: 4096`,
`secretName: tls` and `primary_key` are names of the same words; their last or first word tells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.stages.secret_value import is_chosen, is_code, is_password, is_random, is_technical

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hit(NamedTuple):
    """A secret found: its span in the text searched, and its kind."""

    start: int
    end: int
    kind: str


_WORD = re.compile(
    r"token|secret|passw|passphrase|passcode|pass\b|pwd|(?<![a-z])pw\b|credential|key\b|_auth\b"
    r"|(?<![a-z])psk\b|sonar[._-]login|kennwort|contrase\xf1a|mot de passe|senha\b|wachtwoord"
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
      (?P<call>\()(?=["'])                                               # setPassword("...")
    | (?P<cell>["'`*]{0,2}\s{0,20}\|\s{0,3})                             # | password | ... |
    | ["'`]?\s?:\s?[A-Za-z][\w.\[\]| ?]{0,30}?\s?=\s{0,2}(?=["'])   # token: str = "..."
    | ["'`\])]{0,3}\s{0,8}(?:[A-Za-z]{2,10}\s{1,2})??(?::{0,2}=|\?{1,2}=|=>|={2,3}|:)\s{0,20}
    | ["']\s?,\s?(?=["'])                                            # ("TOKEN", "...")
    | ["']?>\s{0,40}                                                 # <token>...
    | ["']?,?\s{1,20}["']?value["']?\s?[:=]\s?                       # name: X_TOKEN, value: ...
    | (?P<prose>\s(?:(?:for|of|to|on|in)\s[\w.-]{1,24}\s)?(?:is|was|ist|est|es)(?:\snow)?:?\s["'`]?)
    | (?P<space>\s{1,3})                                             # --token ...
    )"""
    + _VALUE,
    re.VERBOSE,
)
# In a sentence ("the password is ...") a value has to be more than a word with a digit.
_LEAST_IN_PROSE = {"password": 8, "token": 12, "key": 20, "lone key": 20}
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "pass",
    "passwort",
    "kennwort",
    "senha",
    "wachtwoord",
)
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
_FOREIGN = ("contrase\xf1a", "mot de passe")  # not made of the letters that _PARTS knows
# What may stand before a name at the beginning of a line of settings: there the value goes on to
# the next space, whatever signs are in it.
_SETTING_LINE = re.compile(
    r"(?:^|\n)[ \t]*(?:[-+>*][ \t]+|export |set |setx |ENV |ARG |\$env:)?[\"']?\Z"
)
_SPACED = re.compile(r"(?:^|\n)[ \t]*(?:setx |ENV |ARG |set |PASSWORD\Z)", re.IGNORECASE)
_BRACKETS = frozenset("([{")
_TO_SPACE = re.compile(r"""[^\s"'`]{0,240}""")  # longer ones are no passwords
# How far back the beginning of a line, or who the password belongs to, is looked for.
_BEFORE = 80
_SOMEBODY = re.compile(r"(?i)\b(?:user|login|admin|account|root|name|email|wifi|db)\b[^\n]*\Z")


def _words(name: str) -> list[str]:
    return [word.lower() for word in _PARTS.findall(name)]


def _tells(words: list[str]) -> bool:
    """Say whether a name may hold a secret and not only speak of one."""
    if not words or words[-1] in _ABOUT:
        return False
    return not (words[0] in _NO_TOKEN_OF and words[1:2] in _TOKEN_WORDS)


def _kind(name: str) -> str:
    """Tell what a name announces: "password", "token", the weaker "key" and "lone key", or ""."""
    words = _words(name)
    if not _tells(words):
        return ""
    foreign = name.lower().endswith(_FOREIGN)
    if foreign or any(word.endswith(_PASSWORD) or word in {"pw", "psk"} for word in words):
        return "password"
    if any(word.endswith(_TOKEN) for word in words) or words[:2] == ["sonar", "login"]:
        return "token"
    if not words[-1].endswith("key"):
        return ""
    owner = words[-1].removesuffix("key") or (words[-2] if len(words) > 1 else "")
    if owner in _NO_KEY_OF:
        return ""
    return "token" if owner in _KEY_OF else "key" if owner else "lone key"


class _Place(NamedTuple):
    """A name that tells, where it begins, what it announces, and what follows it."""

    name: str
    begin: int
    kind: str
    after: re.Match[str]

    def before(self) -> str:
        """Give what stands before the name."""
        return self.after.string[max(0, self.begin - _BEFORE) : self.begin]

    def is_setting(self) -> bool:
        """Whether it is `NAME=value` or `?name=value`: a word there is a value and no variable."""
        text = self.after.string
        in_url = text[self.begin - 1 : self.begin] in {"?", "&"}
        return (self.name.isupper() or in_url) and text[self.value()[0] - 1] == "="

    def begins_line(self) -> bool:
        """Whether the name is the first thing of its line, but for a dash or an `export`."""
        return bool(_SETTING_LINE.search(self.before()))

    def value(self) -> tuple[int, int]:
        """Give the span of what follows."""
        return self.after.span("bare" if self.after["quoted"] is None else "quoted")


def _holds(place: _Place, value: str) -> bool:
    """Say whether the value is a secret of the kind that its name announces."""
    after, kind = place.after, place.kind
    if after["prose"]:
        chosen = kind == "password" and is_chosen(value)
        return chosen or (is_random(value, _LEAST_IN_PROSE[kind]) and not is_technical(value))
    if after["call"]:
        return kind == "password" and is_chosen(value)
    setting = place.is_setting()
    quoted = after["quoted"] is not None or place.name.startswith("-") or setting
    if not quoted and is_code(value):
        return False
    if kind == "password":
        return is_password(value, quoted=quoted)
    # Keys that are handed out have 14 characters and more; a bare "key" needs a better look.
    if kind == "token":
        # `JWT_SECRET=Sommer2026!` was thought up by a person, as a password is
        own = setting and _words(place.name)[-1] == "secret" and is_chosen(value)
        return own or is_random(value, 14)
    # A hash is kept under a lone `key` as often as a key is.
    mixed = value != value.lower() and value != value.upper()
    return is_random(value, 20) and (mixed or kind == "key")


def _may_follow(place: _Place) -> bool:
    """Say whether a value may follow the name in this way; two words in a row are prose."""
    after, name = place.after, place.name
    quoted = after["quoted"] is not None
    if after["space"] and not name.startswith("-"):
        # in SQL `PASSWORD 'X'`, in a Dockerfile `ENV PASSWORD X`, in a table a tab
        tabbed = after["space"] == "\t" or (
            name.isupper()
            and _SPACED.search(place.before() + ("PASSWORD" if "_" not in name else ""))
        )
        return place.kind == "password" and name.lower() != "pass" and bool(quoted or tabbed)
    if after["call"]:
        return _words(name.rpartition(".")[2])[0] in {*_PASSWORD, "set", "with", "use"}
    if after["cell"] is not None:
        row = after.string[after.string.rfind("\n", 0, place.begin) + 1 : place.begin]
        rest = after.string[place.value()[1] :][:_BEFORE].lstrip("`*\"' ")
        return row.lstrip()[:1] == rest[:1] == "|"
    return True


def _lone(place: _Place) -> bool:
    """Say whether `pass` means a password: also a verb, and what test runners say."""
    if place.name.lower() != "pass" or place.after["quoted"] is not None:
        return True
    value = place.after["bare"].rstrip(".,")
    mine = place.is_setting() and place.begins_line()
    return is_chosen(value) and (mine or bool(_SOMEBODY.search(place.before())))


def _whole(place: _Place, end: int) -> int:
    """Go on to where an unquoted value ends."""
    text = place.after.string
    told = place.kind == "password" and (place.begins_line() or place.name.startswith("-"))
    if not told or (text[end : end + 1] in _BRACKETS and not place.is_setting()):
        return end
    found = _TO_SPACE.match(text, end)
    return end + len(found[0].rstrip(".,;:*|")) if found else end


def _place(word: re.Match[str], text: str) -> _Place | None:
    """Read the whole name a word is part of; None for a part of `arn:aws:...:secret:prod/db`."""
    after = _AFTER.match(text, word.end())
    if after is None:
        return None
    head = _HEAD.search(text, max(0, word.start() - _LONGEST_NAME), word.start())
    begin, end = head.start() if head else word.start(), after.end("rest")
    if begin > 0 and text[begin - 1] == ":" == text[end : end + 1]:
        return None
    name = text[begin:end]
    kind = _kind(name)
    return _Place(name, begin, kind, after) if kind else None


def _at(word: re.Match[str], text: str) -> Hit | None:
    """Find the secret behind one word."""
    place = _place(word, text)
    if place is None or not _may_follow(place) or not _lone(place):
        return None
    start, end = place.value()
    limit = end - start
    if place.after["quoted"] is None:
        limit = _JUDGED
        if text[end : end + 1] in _BRACKETS and not (place.is_setting() and place.begins_line()):
            return None  # a call, an index, a template
        # What ends a sentence or a piece of Markdown ends no secret.
        end = _whole(place, start + len(place.after["bare"].rstrip(".:*`")))
    if not _holds(place, text[start : min(end, start + limit)]):
        return None
    if end - start == limit == _JUDGED and (rest := _REST.match(text, end)):
        end = rest.end()
    return Hit(start, end, "password" if place.kind == "password" else "secret")


def named(text: str) -> Iterator[Hit]:
    """Find secrets by the names they stand behind; only the value is the secret."""
    lower = text.lower()
    # A few letters have a lower case of two characters; there the offsets would not agree.
    done, names = 0, lower if len(lower) == len(text) else text
    for word in _WORD.finditer(names):
        if word.start() >= done and (hit := _at(word, text)):
            done = hit.end
            yield hit
