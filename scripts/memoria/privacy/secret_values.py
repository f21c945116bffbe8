"""Judge whether a value that stands where a secret may stand is one.

Letters of English words follow each other in few ways: the share of their common pairs tells
`getSecretValue` (near 1) from `xKqzRtw` (near .3) better than entropy, which is high for both.
"""

import re
from collections import Counter
from math import log2

from memoria.text.lazy_patterns import lazy_pattern

# The 200 commonest letter pairs in the identifiers and comments of Python's standard library; they
# make up 89 % of the pairs there and 30 % of all possible pairs.
_COMMON_PAIRS = frozenset(
    """ab ac ad ag ai al am an ap ar as at ay ba be bi bl bo bu ca ce ch ci ck cl co cr ct cu da dd
    de di do dr ds du ea ec ed ee ef eg el em en ep er es et ev ex fa fe ff fi fl fo fr fu ge gi gn
    gr gs ha he hi ho ia ib ic id ie if ig il im in io ip ir is it iv iz ke la ld le li ll lo ls lt
    lu ly ma me mi mo mp ms na nc nd ne nf ng ni nk nn no ns nt nu nv ob oc od ol om on oo op or os
    ot ou ov ow pa pe pi pl po pp pr ps pt pu qu ra rc rd re rg ri rm rn ro rr rs rt ru ry sa sc se
    sh si sl so sp ss st su sy ta tc te th ti tl to tp tr ts tt tu ty ub ue ui ul um un up ur us ut
    va ve vi wa wi wr xt yp ze""".split()  # noqa: SIM905 - a table of pairs reads best as text
)
_LETTERS = lazy_pattern(r"[a-z]{2,}")
# Of 2,000 random strings of letters 1 % have more than .65 of their pairs among these; of words of
# six letters and more, 90 % have.
_WORD_SHARE = 0.68
# "your-token-here", "change_me", "xxxx", "******"
_PLACEHOLDER = lazy_pattern(
    r"(?i)your|example|placeholder|change[-_ ]?(?:me|this|it)\b|changeit|insert[-_ ]|replace|redact"
    r"|dummy|\bmock[-_]|\bfake|fake[-_]|sample|_here\b|-here\b|goes[-_]here|not[-_]?(?:a[-_])?real|xxxx"
    r"|\*\*\*|\.\.\.|\u2026|^[-_x.*#?]+$|([x*#._0-])\1{5}|^todo|(?<![a-z0-9])tbd$|^my[-_]|[-_]string$"
)
# What a value begins with that a shell, a template or code puts in: "$TOKEN", "{{", "process.env".
_FILLED = lazy_pattern(r"^(?:[$<{%&`(\[!]|@[\w.]+\(|\\|f['\"]|os\.|process\.|env[.\[(]|secrets\.)")
# ... and what stands anywhere in it: "${TOKEN}", "{{ token }}", "<your key>", "%s"
_TEMPLATE = lazy_pattern(
    r"\$\{[\w.:?@/ '\"-]*(?:\}|$)|\$\(|\{\{[^{}]*(?:\}\}|$)|^[^{]*\}\}$|<[\w -]+>|%[sdv]\b"
    r"|(?<![A-Za-z0-9])\$[A-Z_]{3,}|#\{|\[REDACTED"
)
_COMMON_WORDS = frozenset(
    """password passwd pass pwd passphrase secret token key apikey admin root user username test
    testing tests guest default none null nil undefined empty true false required optional string
    str text value values hidden public private postgres mysql redis mongo mongodb rabbitmq oracle
    docker localhost foobar foo bar baz qwerty letmein welcome abc abcd demo dev prod local
    login auth bearer basic object number boolean any unknown invalid wrong correct new old
    current confirm reset forgot enabled disabled description input output type name id hash plain
    plaintext encrypted vault env file stdin prompt ask manual auto generate generated random uuid
    int bytes bool float list dict optional readonly nothing something anything whatever
    """.split()  # noqa: SIM905 - as above
)
# A short password may use a letter twice: "4nn474" has 1.8 bits a character, "121212" one.
_MIN_ENTROPY, _MIN_ENTROPY_SHORT, _MIN_LONG = 1.9, 1.55, 9
# 16 random hexadecimal digits have 2.5 bits each and more, all but one time in 1,000.
_MIN_RANDOM_ENTROPY = 2.5
# "settings.api.token", "2026-01-01 10:30" as digits alone, and below "name=value"
_DOTTED = lazy_pattern(r"^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$")
_DIGITS_ONLY = lazy_pattern(r"^[\d.,:/+TZ-]+$")
_MIN_LETTERS = 3  # 3 at least, or it is a version, a date, a size
# What has digits in its name and is no password: "sha256", "python3", "app.py", "30ms".
_TECHNICAL = lazy_pattern(
    r"(?i)(?<![a-z0-9])(?:sha-?\d{1,3}|md5|base\d\d|bcrypt\d?|argon2(?:id|i|d)?|pbkdf2?|utf-?\d\d?|(?:aes|rsa)[-_]?\d{3,4}"
    r"|x509|oauth\d?|ipv\d|https?\d?|s3|v\d{1,3}|ec2|k8s|i18n|python\d|node\d\d?|es\d|h2|iso\d{4}"
    r"|auth0)(?![a-z0-9])"
    r"|\.(?:py|js|ts|go|rs|md|json|ya?ml|toml|txt|env|sh|log|db)$"
    r"|(?<!\d)\d{1,9}(?:ms|s|px|kb|mb|gb|%)$"
)
# shorter ones are not told from words, longer ones are no passwords
_PASSWORD_LENGTHS = range(6, 201)
_ASSIGNED = lazy_pattern(r"^[A-Za-z_][\w.]*=[^=]")


def entropy(value: str) -> float:
    """Shannon entropy of the characters, bits each."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values()) if total else 0.0


def is_wordlike(value: str) -> bool:
    """Say whether a value consists mostly of words (camel case, snake case, a path, a slug)."""
    runs = _LETTERS.findall(value.lower())
    pairs = [run[i : i + 2] for run in runs for i in range(len(run) - 1)]
    # In a random value, letters seldom stand together for half of its length.
    if len(pairs) * 2 < len(value):
        return False
    return sum(pair in _COMMON_PAIRS for pair in pairs) >= _WORD_SHARE * len(pairs)


def is_placeholder(value: str) -> bool:
    """Say whether a value only stands for a secret: a template, a variable, a common word."""
    if _FILLED.match(value) or _TEMPLATE.search(value) or _PLACEHOLDER.search(value):
        return True
    # Below two bits a character it repeats itself: "aaaaaaaa", "12121212".
    min_entropy = _MIN_ENTROPY if len(value) >= _MIN_LONG else _MIN_ENTROPY_SHORT
    return re.sub(r"[^a-z0-9]", "", value.lower()) in _COMMON_WORDS or entropy(value) < min_entropy


def is_code(value: str) -> bool:
    """Say whether an unquoted value is an expression: a dotted name, a path, an assignment."""
    if _DOTTED.match(value) or _ASSIGNED.match(value):
        return is_wordlike(value)
    return value.startswith(("/", "~/", "./", "../", "--")) and is_wordlike(value)


def is_random(value: str, min_length: int = 16) -> bool:
    """Say whether a value was made by a machine: long, mixed, and not made of words."""
    if len(value) < min_length or " " in value or is_placeholder(value):
        return False
    if _DIGITS_ONLY.match(value):
        # A number of 16 digits and more is no count, size or time in any usual unit.
        return value.isdigit() and len(value) >= 16 and entropy(value) > 2  # noqa: PLR2004
    # Of letters alone more are needed: short ones are abbreviations.
    length = min_length if any(c.isdigit() for c in value) else max(min_length, 20)
    return len(value) >= length and entropy(value) >= _MIN_RANDOM_ENTROPY and not is_wordlike(value)


def is_chosen(value: str) -> bool:
    """Say whether a value in a sentence or a call is a password: no word, path or name is."""
    if " " in value or not is_password(value, quoted=True, sure=True) or is_technical(value):
        return False
    letters = sum(c.isalpha() for c in value)
    if letters < _MIN_LETTERS or value[0] in "/.#-[(@":
        return False
    # `Sommer2026!`, `blue-dog7`, `x7Kq...`: a digit at its end, a sign, or no words
    digit = any(c.isdigit() for c in value)
    sign = any(not c.isalnum() and c not in "-_./:" for c in value)
    return digit and (value[-1].isdigit() or sign or not is_wordlike(value))


def is_technical(value: str) -> bool:
    """Say whether digits stand in a value because it names a method, a size or a file."""
    return bool(_TECHNICAL.search(value))


def is_password(value: str, *, quoted: bool, sure: bool = False) -> bool:
    """Say whether a value is a password: also a short one, if it has a digit or a sign in it.

    `sure` says that its place tells already, so that it may be a word.
    """
    if len(value) not in _PASSWORD_LENGTHS or is_placeholder(value) or (" " in value and not sure):
        return False
    if "password" in value.lower() or "passwd" in value.lower():
        return False
    has_digit = any(c.isdigit() for c in value)
    # `orange=tree7` is an assignment only if no digit speaks for a password
    is_allowed_code = has_digit and (sure or _ASSIGNED.match(value))
    if _DIGITS_ONLY.match(value) or (is_code(value) and not is_allowed_code):
        return False
    if has_digit:
        return True
    signs = set(value) - set("-_./:") - {c for c in value if c.isalnum()}
    # Letters alone, without quotes, are a variable; 8 is the usual least length of a password.
    word = len(value) >= 8 and (sure or not is_wordlike(value))  # noqa: PLR2004
    return (quoted or sure) and (bool(signs) or word)
