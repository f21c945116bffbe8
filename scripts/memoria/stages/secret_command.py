r"""Text -> passwords that stand where a command, a call or a sentence has its password.

`mysql -u root -pX`, `echo X | sudo -S`, `login("ann", "X")`, `log in with ann / X`: there no name
of the value tells, the place does. The trap: the same letter means another thing in each program
(`-p` is a port to ssh), so a pattern begins with the program's name, and sentences take only what
no word of a language looks like.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.stages.secret_name import Hit
from memoria.stages.secret_value import is_chosen, is_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST = 4  # shorter words of a command line are options
_VALUE = r"""(?P<quote>["']?)(?P<value>[^\s"']{4,200})(?P=quote)"""
_QUOTED = r"""(?P<quote>["'])(?P<value>[^\s"'\n]{6,200})(?P=quote)"""
# from here to the option, within one command
_TO = r"\s[^\n|;&]{0,60}?\s?"
_USER = re.compile(
    r"(?:\s-u|\s--user|\s--proxy-user)[ =]{0,4}(?P<quote>[\"']?)(?P<user>[^\s\"':$<{]{0,80}):"
    r"(?P<value>(?:(?!(?P=quote))[^\n])+?|[^\s\"']+?)(?P=quote)(?=\s|$)"
)
_PROGRAMS = re.compile(
    rf"""(?:
      sshpass\s+-p\s*
    | mysql(?:dump|admin)?\s[^\n|;]{{0,60}}?\s?-p
    | \b(?:mongo(?:sh|dump|restore|export|import)?|az|cf|oc|heroku){_TO}-p[ =]
    | redis-cli\s[^\n|;]{{0,60}}?-a\s
    | (?:docker|podman|helm|nerdctl|buildah|skopeo)\s[^\n|;]{{0,20}}login\s[^\n|;]{{0,60}}?\s-p[ =]
    | htpasswd\s+(?:-\w+\s+){{0,3}}\S{{1,200}}\s+\S{{1,200}}\s+
    | \b(?:sqlcmd|bcp){_TO}-P\s?
    | \b(?:un)?zip{_TO}-P\s?
    | \b7za?{_TO}-p
    | \bldap(?:search|add|modify|delete|whoami|passwd){_TO}-w\s
    | rabbitmqctl\s(?:add_user|change_password|authenticate_user)\s{{1,3}}\S{{1,80}}\s{{1,3}}
    | x?freerdp{_TO}/p:
    | smbclient{_TO}-U\s?[^\s%]{{1,80}}%
    | net\suse\s[^\n]{{0,120}}?/user:\S{{1,80}}\s
    | \bhttps?\s[^\n|;]{{0,60}}?-a\s[^\s:]{{1,80}}:
    | openssl\s[^\n]{{0,160}}?\s-pass(?:in|out)?\s(?:pass:)?
    ){_VALUE}""",
    re.VERBOSE,
)
# the same in settings, statements and addresses
_STATEMENTS = re.compile(
    rf"""(?:
      (?:^|\n)[ \t]{{0,8}}(?:requirepass|masterauth)\s
    | jdbc:oracle:thin:[^\s/:@]{{1,80}}/(?=[^\s@]{{4,80}}@)
    | machine\s+\S{{1,200}}\s+login\s+\S{{1,200}}\s+password\s+   # .netrc
    | :(?:5432|3306|\*):[\w*-]{{1,60}}:[\w-]{{1,60}}:               # .pgpass
    | IDENTIFIED\s+BY\s+ | (?i:identified\s+by)\s+(?=["'])
    | (?i:set\spassword\sfor)\s\S{{1,80}}\s?=\s?
    | :_password=|:_authToken=\s?|:_auth=                       # .npmrc
    ){_VALUE}""",
    re.VERBOSE,
)
# what is written into a program that asks for a password
_PIPED = re.compile(
    r"""(?:\becho|\bprintf)\s(?:-\w{1,2}\s)?(?P<quote>["']?)(?:[\w.-]{1,60}:)?
    (?P<value>[^\s"'|:]{4,200})(?:\\n)?(?P=quote)\s{0,3}\|\s{0,3}
    (?:sudo\s(?:-\w\s){0,3}?-S|(?:sudo\s)?chpasswd|(?:sudo\s)?passwd\b|[^\n|;]{0,120}?--password-stdin
      |[^\n|;]{0,80}?-pass(?:phrase-fd|in)?\s)""",
    re.VERBOSE,
)
_HERE = re.compile(r"""sudo\s(?:-\w\s){0,3}?-S\b[^\n|;]{0,80}?<<<\s?""" + _VALUE)
# a user and a password in a call; a secure string
_CALLS = re.compile(
    r"""(?:(?:\blogin|\bsignIn|\bsign_in|\blog_in|\bauthenticate|\bauth|BasicAuth|basic_auth
       |NetworkCredential|UsernamePasswordCredentials|PasswordAuthentication|basicAuth|setBasicAuth)
      \s?=?\s?\(\s{0,3}["'][^\s"'\n]{1,80}["']\s?,\s{0,3}
      |ConvertTo-SecureString\s(?:-String\s)?)"""
    + _QUOTED,
    re.VERBOSE,
)
_SAID = re.compile(
    r"""(?:\b(?:credentials?|creds|logins?)\b(?:\s(?:are|is))?:?\s
      |\b(?:log(?:ged)?\s?in|sign(?:ed)?\sin|authenticated?|connect)\s(?:with|as|using)\s)
    ["'`]?[\w.@-]{2,40}["'`]?\s?[/:]\s?["'`]?(?P<value>[^\s"'`,;]{6,80})""",
    re.VERBOSE | re.IGNORECASE,
)
# Each pattern with the texts (lower case) of which one must occur, and whether the value is judged.
_SEARCHES = (
    (_USER, ("-u", "-user"), False),
    (
        _PROGRAMS,
        ("sshpass", "mysql", "mongo", "az ", "cf ", "oc ", "heroku", "redis-cli", " login",
         "htpasswd", "sqlcmd", "bcp ", "zip ", "7z", "ldap", "rabbitmqctl", "freerdp", "smbclient",
         "net use", " -a ", "openssl"),
        False,
    ),
    (
        _STATEMENTS,
        ("requirepass", "masterauth", "jdbc:oracle", "machine ", ":5432:", ":3306:", ":*:",
         "identified", "set password", ":_"),
        False,
    ),
    (_PIPED, ("echo ", "printf "), False),
    (_HERE, ("<<<",), False),
    (_CALLS, ("login", "sign", "log_in", "auth", "credential", "securestring"), True),
    (_SAID, ("credential", "creds", "login", "log", "sign", "authenticate", "connect"), True),
)  # fmt: skip


def _is_password(value: str, *, judged: bool) -> bool:
    if len(value) < _LEAST or is_placeholder(value) or "$" in value[:2]:
        return False
    return is_chosen(value) if judged else True


def commanded(text: str, lower: str) -> Iterator[Hit]:
    """Find passwords by the command, call or sentence around them; `lower` is the lower case."""
    for pattern, needles, judged in _SEARCHES:
        if not any(needle in lower for needle in needles):
            continue
        for match in pattern.finditer(text):
            start, end = match.span("value")
            end = start + len(match["value"].rstrip(".") if judged else match["value"])
            if _is_password(text[start:end], judged=judged):
                yield Hit(start, end, "password")
