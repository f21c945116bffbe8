"""Find the values that stand behind a name such as `api_token`, where they are secrets.

The name says that a secret may follow, the value whether one does. Searched by the name's word,
then read outwards: a pattern that begins with "any name" would be tried at every letter. The trap:
`max_tokens: 4096` and `primary_key` are names of the same words; their last or first word tells.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memoria.privacy.secret_values import is_chosen, is_code, is_password, is_random
from memoria.text.lazy_patterns import lazy_pattern


class SecretSpan(NamedTuple):
    """A secret found: its span in the text searched, and its kind."""

    start: int
    end: int
    kind: str


# Each way to go on begins with a letter of its own, so that most of a text is passed over quickly.
_WORD = lazy_pattern(
    r"token|secret|pass(?:w|phrase|code|\b)|p(?:wd|w\b|at\b|sk\b)|cred(?:ential|s?\b)|key(?:\b|_\d)|_auth\b"
    r"|sonar[._-]login|kennwort|senha\b|wachtwoord"
)
_SHORT_WORDS = {"pw", "pat", "psk", "cred", "creds"}  # no endings of longer words
# The words before a name of several words: "AWS Secret Access Key".
_OWNERS = lazy_pattern(
    r"(?i)(?<![\w.-])(?:(?:api|access|secret|private|unseal|recovery|auth|session|account|signing"
    r"|encryption|client|bot|app) ){1,3}\Z"
)
_HEAD = lazy_pattern(r"[\w.-]{0,60}\Z")  # a name up to the word in it: "db_" of db_password
# A checksum as package managers print it: what a part of it spells is no name, its "=" fills it up.
_CHECKSUM = lazy_pattern(r"(?<![\w+/])(?:sha(?:1|256|384|512)-|h1:)[A-Za-z0-9+/]{27,88}\Z")
_MAX_CHECKSUM = 100
# No name is longer; the way back to its beginning is cut there.
_MAX_NAME = 60
# So much of a bare value is looked at; what goes on is taken with it.
_MAX_JUDGED = 160
_VALUE = rf"""(?:
    [rbuRBU]{{0,2}}(?P<quote>["'`])(?P<quoted>(?:(?!(?P=quote))[^\n]){{4,8000}}?)(?P=quote)
  | (?P<bare>[^\s"'`,;<>(){{}}\[\]|&\\]{{4,{_MAX_JUDGED}}})
)"""
_BARE_REST = lazy_pattern(r"""[^\s"'`,;<>(){}\[\]|&\\]*""")  # how a value without quotes goes on
_AFTER = lazy_pattern(
    r"""(?P<rest>[\w.-]{0,40}+)
    (?:[ ]?\d{1,2}(?=[ ]?[(:]))?(?:[ ]?[(\[][^()\[\]\n]{0,40}[)\]](?=:))?   # Key 1 (hidden):
    (?:
      (?P<call>\()(?=["'])                                               # setPassword("...")
    | (?P<cell>["'`*]{0,2}\s{0,20}\|\s{0,3})                             # | password | ... |
    | ["'`]?\s?:\s?[A-Za-z][\w.\[\]| ?]{0,30}?\s?=\s{0,2}(?=["'])   # token: str = "..."
    | ["'`\])]{0,3}\s{0,8}(?:[A-Za-z]{2,10}\s{1,2})??(?::{0,2}=|\?{1,2}=|=>|={2,3}|:)\s{0,20}
    | ["']\s?,\s?(?=["'])(?!["']value["'])                          # ("TOKEN", "...")
    | ["']?>\s{0,40}                                                 # <token>...
    | ["']?(?:,\s{0,20}|\s{1,20})["']?value["']?\s?[:=]\s?          # name: X_TOKEN, value: ...
    | (?P<space>\s{1,3})                                             # --token ...
    )"""
    + _VALUE,
    re.VERBOSE,
)
# "apiKey_2" is api, Key, 2
_NAME_PARTS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD_WORDS = ("password", "passwd", "passphrase", "passcode", "pwd", "pass", "passwort",
    "kennwort", "senha", "wachtwoord")  # fmt: skip
_TOKEN_WORDS = ("token", "secret", "credential", "credentials", "tokens", "secrets", "auth")
# Words only by themselves: "compat" is no access token.
_SHORT_TOKENS = {"pat", "cred", "creds"}
# `X key` is a secret for these X; for others its value decides alone; for the last it never is.
_KEY_OF = {"api", "access", "private", "auth", "encryption", "signing", "master", "account",
    "client", "subscription", "license", "shared", "webhook", "app", "admin", "deploy", "service",
    "session", "secret", "application", "consumer", "integration", "server", "write", "read",
    "ingest", "unseal", "recovery"}  # fmt: skip
_NO_KEY_OF = {"public", "primary", "foreign", "cache", "sort", "partition", "row", "idempotency",
    "object", "hash", "map", "unique", "group", "lookup", "storage", "dict", "json", "cell",
    "sorting", "translation", "i18n", "query", "react", "host", "pub", "state", "arrow", "enter",
    "shift", "ctrl", "column", "field", "index", "config", "dedupe", "cursor", "hot", "metric",
    "session", "blob", "path", "branch"}  # fmt: skip
# A name that ends so speaks of a secret and holds none.
_ABOUT_WORDS = {"name", "names", "path", "file", "dir", "url", "uri", "endpoint", "type", "kind",
    "count", "counts", "length", "len", "size", "limit", "expiry", "expires", "expiration", "ttl",
    "field", "label", "header", "prefix", "suffix", "pattern", "regex", "policy", "budget", "usage",
    "format", "var", "ref", "arn", "version", "class", "method", "provider", "manager", "issuer",
    "hint", "title", "column", "id", "ids", "hash", "sum", "index", "min", "max", "at", "env",
    "rotation", "strength", "template", "store", "scanner", "scope", "scopes", "status", "error",
    "validator", "description", "algorithm", "bypass", "compass"}  # fmt: skip
# Not about a person's rights: where to go on reading a list, which token of a model.
_NO_TOKEN_OF = {"next", "page", "continuation", "previous", "prev", "max", "min", "total", "stop",
    "special", "bos", "eos", "pad", "input", "output", "cancellation"}  # fmt: skip
_COUNTED_TOKENS = (["token"], ["tokens"])
# What may stand before a name at the beginning of a line of settings: there the value goes on to
# the next space, whatever signs are in it.
_SETTING_LINE = lazy_pattern(
    r"(?:^|\n)[ \t]*(?:[-+>*][ \t]+|export |[^\n]{0,60} -e |set |setx |ENV |ARG |\$env:)?[\"']?\Z"
)
# where a value follows its name after a blank: "ENV API_TOKEN", "set X", SQL's PASSWORD
_SPACED = lazy_pattern(r"(?:^|\n)[ \t]*(?:setx |ENV |ARG |set |PASSWORD\Z)", re.IGNORECASE)
_BRACKETS = frozenset("([{")
_TO_LINE_END = lazy_pattern(r"""[^\n"'`;]{0,120}""")
_TO_SPACE = lazy_pattern(r"""[^\s"'`]{0,240}""")  # longer ones are no passwords
# How far back the beginning of a line, or who the password belongs to, is looked for.
_MAX_BEFORE = 80
_MAX_ROW = 400
# A piece of text without a space has so many names at most; more are a hundred kilobytes of `key=`.
_MAX_NAMES_IN_RUN = 12
# a user's name stands in this line or the one above: "user: ana"
_SOMEBODY = lazy_pattern(
    r"(?i)\b(?:user|username|login|admin|account|root|name|email|wifi|db|host)\b[^\n]*(?:\n[^\n]*)?\Z"
)


def _split_words(name: str) -> list[str]:
    words = [word.lower() for word in _NAME_PARTS.findall(name)]
    return words[:-1] if words[-1:] and words[-1].isdigit() else words  # UNSEAL_KEY_3


@lru_cache(maxsize=2048)
def _classify_name(name: str) -> str:
    """Tell what a name announces: "password", "token", the weaker "key" and "lone key", or ""."""
    words = _split_words(name)
    # it may only speak of a secret
    is_other = words[:1] and words[0] in _NO_TOKEN_OF and words[1:2] in _COUNTED_TOKENS
    if not words or is_other or words[-1] in _ABOUT_WORDS:
        return ""
    if any(word.endswith(_PASSWORD_WORDS) or word in {"pw", "psk"} for word in words):
        return "password"
    is_token = words[-1] in _SHORT_TOKENS or words[:2] == ["sonar", "login"]
    if is_token or any(word.endswith(_TOKEN_WORDS) for word in words):
        return "token"
    if not words[-1].endswith("key"):
        return ""
    owner = words[-1].removesuffix("key") or (words[-2] if len(words) > 1 else "")
    if owner in _NO_KEY_OF:
        return ""
    return "token" if owner in _KEY_OF else "key" if owner else "lone key"


def classify_heading(heading: str) -> str:
    """Tell what the heading of a column announces; its last word has to say it."""
    words = _split_words(heading)
    endings = (*_PASSWORD_WORDS, *_TOKEN_WORDS, "key")
    last = words and (words[-1] in _SHORT_TOKENS or words[-1].endswith(endings))
    return _classify_name(heading) if last else ""


class _NamedPlace(NamedTuple):
    """A name that tells, where it begins, what it announces, and what follows it."""

    name: str
    begin: int
    kind: str
    after: re.Match[str]

    def before(self) -> str:
        """Give what stands before the name."""
        return self.after.string[max(0, self.begin - _MAX_BEFORE) : self.begin]

    def is_setting(self) -> bool:
        """Whether it is `NAME=value` or `?name=value`: a word there is a value and no variable."""
        text = self.after.string
        in_url = text[self.begin - 1 : self.begin] in {"?", "&"}
        return (self.name.isupper() or in_url) and self.is_assigned()

    def is_assigned(self) -> bool:
        """Whether the value follows a "=" without a space."""
        quoted = self.after["quoted"] is not None
        return self.after.string[self.value()[0] - 1 - quoted] == "="

    def begins_line(self) -> bool:
        """Whether the name is the first thing of its line, but for a dash or an `export`."""
        return bool(_SETTING_LINE.search(self.before()))

    def is_sure(self) -> bool:
        """Whether also a word is a password here: a setting, or `pass` below a user's name."""
        if self.after["cell"] or (self.after["space"] and self.after["quoted"]):
            return True
        if not self.begins_line():
            return False
        if self.is_phrase():
            return True
        is_of_somebody = self.name.lower() == "pass" and _SOMEBODY.search(self.before())
        return self.is_setting() or bool(is_of_somebody)

    def is_phrase(self) -> bool:
        """Whether it is `passphrase=` with several words."""
        return self.name.lower().endswith("passphrase") and self.is_assigned()

    def value(self) -> tuple[int, int]:
        """Give the span of what follows."""
        return self.after.span("bare" if self.after["quoted"] is None else "quoted")


def _is_secret_value(place: _NamedPlace, value: str) -> bool:
    """Say whether the value is a secret of the kind that its name announces."""
    kind, last = place.kind, _split_words(place.name)[-1]
    if place.after["call"]:
        return kind == "password" and is_chosen(value)
    is_setting = place.is_setting()
    is_quoted = place.after["quoted"] is not None or place.name.startswith("-") or is_setting
    # the working directory
    is_folder = last.endswith("pwd") and (value[0] in ".~" or "/" in value or "\\" in value)
    if is_folder or (not is_quoted and not place.is_sure() and is_code(value)):
        return False
    if kind == "password":
        return is_password(value, quoted=is_quoted, sure=place.is_sure())
    # Keys that are handed out have 14 characters and more; a bare "key" needs a better look.
    if kind == "token":
        # `JWT_SECRET=Sommer2026!` was thought up by a person, as a password is
        is_chosen_secret = is_setting and last == "secret" and is_chosen(value)
        is_pair = last in _SHORT_TOKENS and is_chosen(value.partition(":")[2])
        return is_chosen_secret or is_pair or is_random(value, 14)
    # A hash is kept under a lone `key` as often as a key is.
    is_mixed = value != value.lower() and value != value.upper()
    return is_random(value, 20) and (is_mixed or kind == "key")


def _may_follow(place: _NamedPlace) -> bool:
    """Say whether a value may follow the name in this way; two words in a row are prose."""
    match, name = place.after, place.name
    is_quoted = match["quoted"] is not None
    if match["space"] and not name.startswith("-"):
        # in SQL `PASSWORD 'X'`, in a Dockerfile `ENV PASSWORD X`, in a table a tab
        is_column = match["space"] == "\t" or (
            name.isupper()
            and _SPACED.search(place.before() + ("PASSWORD" if "_" not in name else ""))
        )
        is_sure = place.kind == "password" and name.lower() != "pass"
        return bool(is_column or (is_sure and is_quoted)) and (is_sure or name.isupper())
    if match["call"]:
        return _split_words(name.rpartition(".")[2])[0] in {*_PASSWORD_WORDS, "set", "with", "use"}
    if match["cell"] is not None:
        text, end = match.string, place.value()[1]
        row = text[max(0, place.begin - _MAX_ROW) : place.begin].rpartition("\n")[2]
        row_end = text[end : end + _MAX_BEFORE].lstrip("`*\"' ")
        return row.lstrip()[:1] == row_end[:1] == "|"
    return True


def _means_password(place: _NamedPlace) -> bool:
    """Say whether `pass` means a password: also a verb, and what test runners say."""
    if place.name.lower() != "pass" or place.after["quoted"] is not None:
        return True
    value = place.after["bare"].rstrip(".,")
    return place.is_sure() or (is_chosen(value) and bool(_SOMEBODY.search(place.before())))


def _find_value_end(place: _NamedPlace, end: int) -> int:
    """Go on to where an unquoted value ends."""
    text = place.after.string
    if place.is_phrase():
        line_end = _TO_LINE_END.match(text, end)
        return line_end.end() if line_end else end
    is_password = place.kind == "password" and (place.begins_line() or place.name.startswith("-"))
    if not is_password or (text[end : end + 1] in _BRACKETS and not place.is_setting()):
        return end
    line_end = _TO_SPACE.match(text, end)
    return end + len(line_end[0].rstrip(".,;:*|")) if line_end else end


def _find_place(word: re.Match[str], text: str) -> _NamedPlace | None:
    """Read the whole name a word is part of; None for a part of an ARN or of a checksum."""
    match = _AFTER.match(text, word.end())
    if match is None:
        return None
    head = _HEAD.search(text, max(0, word.start() - _MAX_NAME), word.start())
    begin, end = head.start() if head else word.start(), match.end("rest")
    if begin > 0 and text[begin - 1] == ":" == text[end : end + 1]:
        return None
    if text[begin - 1 : begin] == " " and (
        owners := _OWNERS.search(text, max(0, begin - 40), begin)
    ):
        begin = owners.start()
    if _CHECKSUM.search(text, max(0, end - _MAX_CHECKSUM), end):
        return None
    name = text[begin:end]
    kind = _classify_name(name)
    return _NamedPlace(name, begin, kind, match) if kind else None


def _find_secret_at(word: re.Match[str], text: str) -> SecretSpan | None:
    """Find the secret behind one word."""
    place = _find_place(word, text)
    if place is None or not _may_follow(place) or not _means_password(place):
        return None
    start, end = place.value()
    limit = end - start
    if place.after["quoted"] is None:
        limit = _MAX_JUDGED
        if text[end : end + 1] in _BRACKETS and not (place.is_setting() and place.begins_line()):
            return None  # a call, an index, a template
        # What ends a sentence or a piece of Markdown ends no secret.
        end = _find_value_end(place, start + len(place.after["bare"].rstrip(".:*`")))
    if not _is_secret_value(place, text[start : min(end, start + limit)]):
        return None
    if end - start == limit == _MAX_JUDGED and (value_end := _BARE_REST.match(text, end)):
        end = value_end.end()
    return SecretSpan(start, end, "password" if place.kind == "password" else "secret")


def _is_ending(word: re.Match[str], text: str) -> bool:
    """Whether a short word only ends a longer one, as "compat" ends in pat."""
    at = word.start()
    return word[0] in _SHORT_WORDS and word.string[at - 1 : at].isalpha() and text[at].islower()


def find_named_secrets(text: str, lower: str) -> Iterator[SecretSpan]:
    """Find secrets by the names they stand behind; only the value is the secret."""
    searched_end = run_end = names = 0
    for word in _WORD.finditer(lower):
        if word.start() < searched_end or _is_ending(word, text):
            continue
        if word.start() >= run_end:
            run, names = _BARE_REST.match(text, word.start()), 0
            run_end = run.end() if run else 0
        names += 1
        if names > _MAX_NAMES_IN_RUN:
            searched_end = run_end
        elif hit := _find_secret_at(word, text):
            searched_end = hit.end
            yield hit
