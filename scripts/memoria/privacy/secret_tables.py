r"""Find the secrets that sentences name, in columns whose heading says so, and in manifests.

Markdown, psql, mysql and files of comma-separated values have one form: a line of names, and lines
with as many cells. kubectl prints a manifest's keys by the alphabet, so `data` comes before `kind`
tells what it is. The traps: a column "Password" of documentation, whose cells say `string`; a list
of manifests, a reader's line numbers before each line, and `kind: ConfigMap`.

A sentence says "the password of x is y", in ten languages. The trap: "the token is valid for 15
minutes" is what sentences with these words mostly say, so a value needs digits or signs where a
word has none.
"""

import re
from collections.abc import Iterator
from itertools import islice

from memoria.privacy.secret_names import SecretSpan, classify_heading
from memoria.privacy.secret_values import (
    is_chosen,
    is_password,
    is_placeholder,
    is_random,
    is_technical,
    is_wordlike,
)
from memoria.text.lazy_patterns import lazy_pattern

# A word of a heading, at the end of its cell.
_HEADING = lazy_pattern(
    r"(?:pass(?:word|wort|wd|phrase|)|pwd|secret|token|key|kennwort|contrase\xf1a|senha"
    r"|mot de passe|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801"
    r"|\u30d1\u30b9\u30ef\u30fc\u30c9)"
    r"s?[ \"'`*_]{0,20}(?:[|,;\t\n]|\Z)"
)
_MAX_HEADING = 400  # characters before and behind that word
# what a password manager makes has no fewer; names of fields and values seldom lack vowels
_MIN_LETTERS = 8
_DIVIDER_LINE = lazy_pattern(r"[\s|:+=-]+")  # "|---|:-:|", "+-----+"
_HEADING_CELL = lazy_pattern(r"\"?[\w .-]{1,30}\"?")  # a column's name: "Access key", no sentence
_CELL_EDGES = " \t\"'`*_"


def _split_cells(line: str, at: int, divider: str) -> list[tuple[int, str]]:
    """Give the cells of a line, each with where it begins."""
    if divider == "|":
        inner = line.strip().removeprefix("|")
        at, line = at + line.find(inner), inner.removesuffix("|")
    cells = []
    for cell in line.split(divider):
        content = cell.strip(_CELL_EDGES)
        cells.append((at + cell.find(content), content))
        at += len(cell) + 1
    return cells


def _parse_heading(line: str) -> tuple[str, int, dict[int, str]]:
    """Give the divider of a heading, how many columns, and what those of secrets announce."""
    divider = next((sign for sign in "|;,\t" if sign in line), "")
    if not divider:
        return "", 0, {}
    cells = [cell for _, cell in _split_cells(line, 0, divider)]
    if len(cells) < 2 or not all(_HEADING_CELL.fullmatch(cell) for cell in cells if cell):  # noqa: PLR2004 - one column is a list
        return "", 0, {}
    kinds = {n: _classify_heading(cell) for n, cell in enumerate(cells)}
    return divider, len(cells), {n: kind for n, kind in kinds.items() if kind}


def _classify_heading(heading: str) -> str:
    """Tell what the heading of a column announces."""
    is_password = any(re.fullmatch(words, heading.lower()) for words in PASSWORDS)
    return "password" if is_password else classify_heading(heading)


def _is_secret_value(kind: str, value: str) -> bool:
    if kind == "password":
        return is_chosen(value) or is_password(value, quoted=False) or _is_mixed(value)
    return is_random(value, 14)


def _is_mixed(value: str) -> bool:
    """Say whether a cell has large and small letters alone, as no word of a sentence has them."""
    is_long = len(value) >= _MIN_LETTERS and value.isalpha()
    is_mixed = value[1:] not in (value[1:].lower(), value.upper()[1:])
    return is_long and is_mixed and not is_wordlike(value)


def _split_rows(text: str, at: int, divider: str, count: int) -> Iterator[list[tuple[int, str]]]:
    """Give the cells of the lines that follow a heading, as long as there are as many."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        if not _DIVIDER_LINE.fullmatch(text, at, stop):
            cells = _split_cells(text[at:stop], at, divider)
            if len(cells) != count:
                return
            yield cells
        at = stop + 1


def find_table_secrets(text: str, lower: str) -> Iterator[SecretSpan]:
    """Find secrets by the heading of their column; `lower` is the text in lower case."""
    searched_end = 0
    for word in _HEADING.finditer(lower):
        if word.start() < searched_end:
            continue
        begin = text.rfind("\n", max(0, word.start() - _MAX_HEADING), word.start()) + 1
        end = text.find("\n", word.end() - 1, word.end() + _MAX_HEADING)
        searched_end = word.end() if end < 0 else end
        divider, count, columns = _parse_heading(text[begin:end] if end > 0 else "")
        for cells in _split_rows(text, end + 1, divider, count) if columns else ():
            searched_end = cells[-1][0]
            for column, kind in columns.items():
                start, value = cells[column]
                if _is_secret_value(kind, value):
                    secret_kind = "password" if kind == "password" else "secret"
                    yield SecretSpan(start, start + len(value), secret_kind)


# "kind: Secret"
_KIND = lazy_pattern(r"(?i)\bkind[\"']?:\s{0,9}[\"']?secret\b")
# a line of a manifest, also behind a reader's number: "  - key: value", "  12\tdata:"
_MANIFEST_LINE = lazy_pattern(
    r"(?m)^(?:[ \t]{0,8}\d{1,6}[\t\u2192|])?(?P<indent>[ \t]{0,80})(?P<dash>- )?"
    r"(?:[\"']?(?P<key>[\w.-]{1,253})[\"']?:(?:[ \t]{1,9}|$))?"
    # a run of blanks is taken as a whole, or a long one costs its square
    r"[\"']?(?P<rest>(?:[ \t]*+[^ \t\n])*?)[\"']?,?[ \t]*$"
)
# of a manifest on one line: '"data": {"token": "c2VjcmV0"}'
_INLINE = lazy_pattern(r"\"(?:data|stringData)\"\s?:\s?\{([^{}\n]{1,20000})\}")
_INLINE_VALUE = lazy_pattern(r":\s?\"([^\"]{4,20000})\"")
_MIN_VALUE = 4  # characters


class _Manifest:
    """What is known of one manifest: its keys so far, its kind, the spans of its data."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.kind = ""
        self.values: list[tuple[int, int]] = []


class _ManifestReader:
    """Reads manifests line by line; `open` has the unfinished ones by their depth."""

    def __init__(self) -> None:
        self.open: dict[int, _Manifest] = {}
        self.data: tuple[int, _Manifest] | None = None

    def close(self, depth: int) -> Iterator[tuple[int, int]]:
        """Finish the manifests of a depth and deeper; give the values of secrets."""
        for deep in [deep for deep in self.open if deep >= depth]:
            manifest = self.open.pop(deep)
            if manifest.kind.lower() == "secret":
                yield from manifest.values

    def read(self, line: re.Match[str]) -> Iterator[tuple[int, int]]:
        """Take one line."""
        key, value = line["key"] or "", line["rest"]
        depth = len(line["indent"]) + 2 * bool(line["dash"])
        if self.data and (depth > self.data[0] or not key + value):
            self.data[1].values.append(line.span("rest"))
            return
        self.data = None
        if value == "---" and not key:
            yield from self.close(0)
        elif key in {"apiVersion", "kind", "data", "stringData"}:
            is_repeated = key in self.open.get(depth, _Manifest()).keys
            yield from self.close(depth if is_repeated or line["dash"] else depth + 1)
            manifest = self.open.setdefault(depth, _Manifest())
            manifest.keys.add(key)
            if key == "kind":
                manifest.kind = value
            elif key != "apiVersion" and value in {"", "{"}:
                self.data = (depth, manifest)


def _find_inline_values(text: str) -> Iterator[tuple[int, int]]:
    """Give the values of manifests that stand on one line."""
    for secret in _KIND.finditer(text):
        begin = text.rfind("\n", 0, secret.start()) + 1
        if text.find("{", begin, secret.start()) < 0 or _KIND.search(text, begin, secret.start()):
            continue
        stop = text.find("\n", secret.end())
        for data in _INLINE.finditer(text, begin, stop if stop >= 0 else len(text)):
            yield from (value.span(1) for value in _INLINE_VALUE.finditer(text, *data.span(1)))


def find_manifest_secrets(text: str) -> Iterator[SecretSpan]:
    """Find the values of Kubernetes secrets."""
    if not _KIND.search(text):
        return
    reader = _ManifestReader()
    spans = [span for line in _MANIFEST_LINE.finditer(text) for span in reader.read(line)]
    for start, end in (*spans, *reader.close(0), *_find_inline_values(text)):
        if end - start >= _MIN_VALUE and not is_placeholder(text[start:end]):
            yield SecretSpan(start, end, "kubernetes-secret")


# -- Sentences -------------------------------------------------------------------------------------

# The words that announce what a person chose: English, German, Dutch, Spanish, French, Italian,
# Portuguese, Russian, Chinese, Japanese. Endings stand as patterns; a text is in lower case.
PASSWORDS = (
    r"password(?:'s|s)?|passphrase|passcode|pw",
    r"passwort|kennwort|zugangscode",
    r"wachtwoord",
    r"contrase\xf1a|contrasena|contra|clave",
    r"mots? de passe|mdp",
    r"parola d'ordine|parola chiave",
    r"senha|palavra[- ]passe",
    r"\u043f\u0430\u0440\u043e\u043b(?:\u044c|\u044f|\u044e|\u0435\u043c|\u0435)",
    r"\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4",
    r"\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c\u756a\u53f7|\u5408\u8a00\u8449",
)
# What a machine made.
_KEYS = (
    r"secret[ -]key|access[ -]key|api[ -]key|private[ -]key|token|secret",
    r"schl\xfcssel|api-schl\xfcssel|zugangsschl\xfcssel|zugriffstoken|zugangstoken",
    r"clave secreta|clave api|token de acceso",
    r"cl\xe9 (?:d'|d\u2019)?api|cl\xe9 secr\xe8te|jeton",
    r"chiave(?: segreta| api)?",
    r"chave(?: secreta| de api)?|token de acesso",
    r"\u0442\u043e\u043a\u0435\u043d|\u043a\u043b\u044e\u0447",
    r"\u5bc6\u94a5|\u5bc6\u9470|\u4ee4\u724c",
    r"\u30c8\u30fc\u30af\u30f3|\u30ad\u30fc|\u79d8\u5bc6\u9375",
)
# After these the value comes next: is, reads, was, to.
_LINKS = frozenset(
    """: = - \u2014 \u2013 is was are be as to now need ist lautet war hei\xdft w\xe4re auf es sigue
    siendo ser\xe1 est c'est devient \xe8 \xe9 era a \xe0 para \u044d\u0442\u043e
    \u0442\u0430\u043a\u043e\u0439 \u043d\u0430""".split()  # noqa: SIM905 - a table of words
)
# "X as the password", "X is the password".
_AS = r"as|als|comme|como|come|is|ist|est|es|\xe8|\xe9"
# Each way begins with a letter of its own, so that most of a text is passed over quickly.
_NOUN = lazy_pattern(rf"{'|'.join((*PASSWORDS, *_KEYS))}")
_PASSWORD = lazy_pattern("|".join(PASSWORDS))
_FIRST_CJK = 0x3000
_FOLLOWS = " \t\n:,.;!?"
_CJK = "\u3000-\u30ff\u3400-\u9fff"
# the rest of the sentence; code ends it
_CLAUSE = lazy_pattern(r"(?:(?![.!?;]\s|!=|==|# )[^\n(){}\[\]<>|\\$\u3002\uff01\uff1f]){1,80}")
# a word of a sentence without the quotes around it
_WORD = lazy_pattern(rf"[^\s\"'`,\xab\xbb\u201e\u201c\u201d\u2018\u2019{_CJK}]+")
# '"blue-dog7" as the ', before the word for a password
_VALUE_BEFORE = lazy_pattern(
    rf"(?i)(?<!\S)[\"'`\u201e\u201c]?(?P<value>[^\s\"'`]{{6,40}})[\"'`\u201c\u201d]?\s(?:{_AS})\s(?:\w{{1,8}}\s){{0,2}}\Z"
)
_MAX_WORDS_TO_VALUE, _MAX_BACK = 9, 80  # words behind its name, characters before it
_MIN_KEY = 20  # characters of what a machine made
_MAX_NOUNS = 3  # of a clause; more are a text made against this


def _is_value(value: str, *, password: bool, linked: bool) -> bool:
    if is_technical(value):
        return False
    if not password:
        return linked and is_random(value, _MIN_KEY)
    is_near = linked and is_password(value, quoted=False)
    return is_near or is_chosen(value) or (linked and is_random(value, _MIN_KEY))


def _find_after(noun: re.Match[str], text: str, *, password: bool) -> SecretSpan | None:
    clause = _CLAUSE.match(text, noun.end())
    if clause is None:
        return None
    linked = True
    for piece in islice(_WORD.finditer(text, *clause.span()), _MAX_WORDS_TO_VALUE):
        value = piece[0].rstrip(".?;:")
        is_word = value.isalpha() and len(value) < _MIN_KEY
        if not is_word and _is_value(value, password=password, linked=linked):
            kind = "password" if password else "secret"
            return SecretSpan(piece.start(), piece.start() + len(value), kind)
        linked = piece[0] in _LINKS or piece[0][-1] == ":"
    return None


def _is_word(noun: re.Match[str], lower: str) -> bool:
    """Say whether a noun stands by itself; Chinese and Japanese have no spaces."""
    start, end = noun.span()
    if ord(noun[0][0]) >= _FIRST_CJK:
        return True
    left, right = lower[start - 1 : start] if start else " ", lower[end : end + 1]
    is_part = (left.isalnum() and ord(left) < _FIRST_CJK) or left in "_./-"
    return not is_part and (not right or right in _FOLLOWS)


def find_sentence_secrets(text: str, lower: str) -> Iterator[SecretSpan]:
    """Find what sentences call a password or a key; `lower` is the text in lower case."""
    searched_end = clause_end = nouns = 0
    for noun in _NOUN.finditer(lower):
        if noun.start() >= clause_end:
            clause_end, nouns = noun.end() + _MAX_BACK, 0
        if noun.start() < searched_end or nouns == _MAX_NOUNS or not _is_word(noun, lower):
            continue
        nouns += 1
        password = bool(_PASSWORD.fullmatch(noun[0]))
        hit = _find_after(noun, text, password=password)
        if hit is None and password:
            match = _VALUE_BEFORE.search(text, max(0, noun.start() - _MAX_BACK), noun.start())
            if match and _is_value(match["value"], password=True, linked=True):
                hit = SecretSpan(*match.span("value"), "password")
        if hit:
            searched_end = hit.end
            yield hit
