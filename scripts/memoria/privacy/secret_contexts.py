"""The places where a secret stands, as data: kind, what must occur, the pattern, how it is judged.

The group `value` is the secret. The trap: the same letter means another thing in each program (`-p`
is a port to ssh), so a row begins with a program's name; and every repetition has a bound.
"""

import re
from typing import NamedTuple

from memoria.text.lazy_patterns import lazy_pattern


class SecretContext(NamedTuple):
    """One place.

    One of the `needles` must occur: texts in lower case, or in upper case as they stand; a pattern
    that is `at_needle` is tried where a needle ends. `judge` names what the value must be besides.
    """

    kind: str
    needles: tuple[str, ...]
    judge: str
    pattern: re.Pattern[str]
    at_needle: bool = False


_QUOTE, _INSIDE = r"""(?P<quote>["']?)""", r"""(?<=["'])[^"'\n]{4,200}"""
_VALUE = rf"""{_QUOTE}(?P<value>{_INSIDE}|[^\s"'`]{{4,200}})(?P=quote)"""
# from a program to its option, within one command
_TO = r"\s(?:[^\n|;&]{0,160}?\s)??"

# The beginnings of commands ("~" is a blank), and how they go on to the password.
_COMMANDS = (
    ("sshpass", r"\s+-p\s*"),
    ("mysql mysqldump mysqladmin mysqlsh", rf"{_TO}-p"),
    ("mysqladmin", rf"{_TO}password\s"),
    ("mongo mongosh mongodump mongorestore mongoexport mongoimport", rf"{_TO}-p[ =]"),
    ("az cf oc psexec heroku", rf"{_TO}-p[ =]"),
    ("docker podman helm nerdctl buildah skopeo", rf"\s(?:\S{{1,40}}\s)?login{_TO}-p[ =]"),
    ("redis-cli", rf"{_TO}-a\s"),
    ("htpasswd", r"\s+(?:-\w+\s+){0,3}[^\s-]\S{0,99}\s+[^\s-]\S{0,99}\s+"),
    ("sqlcmd bcp zip unzip mosquitto_pub mosquitto_sub", rf"{_TO}-P\s?"),
    ("7z 7za", rf"{_TO}-p"),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", rf"{_TO}-[ws]\s"),
    ("rabbitmqctl", r"\s(?:add_user|change_password|authenticate_user)\s{1,3}\S{1,80}\s{1,3}"),
    ("freerdp xfreerdp", rf"{_TO}/p:"),
    ("cmdkey", rf"{_TO}/pass:"),
    ("smbclient", rf"{_TO}-U\s?[^\s%]{{1,80}}%"),
    ("net~use", r"\s[^\n]{0,120}?(?i:/user:)\S{1,80}\s{1,3}(?!/)"),
    ("net~use", r"\s(?:\S{1,3}\s)?\\\\\S{1,80}\s{1,3}(?!/)"),
    ("net~user", r"\s[\w.-]{1,40}\s{1,3}(?!/)"),
    ("http https", r"\s[^\n|;]{0,60}?-a\s[^\s:]{1,80}:"),
    ("openssl", rf"{_TO}(?:-pass(?:in|out)?\s(?:pass:)?|-k\s|-K\s)"),
    ("keytool", rf"{_TO}-(?:store|key|new)pass\s"),
    ("-storepass", r"\s\S{1,80}\s[^\n]{0,80}?-keypass\s"),
    ("useradd", rf"{_TO}-p\s"),
    ("security", r"\s(?:add|find)-\w{2,10}-password\s[^\n]{0,160}?-w\s"),
    ("sqlplus", r"\s(?:-\w\s)?\w{1,40}/(?=[^\s@]{4,80}@)"),
    ("impdp expdp", r"\s\w{1,40}/"),
    ("rclone~obscure", r"\s"),
    ("nmcli", rf"{_TO}password\s"),
    ("gh~secret~set", rf"{_TO}(?:--body|-b)[ =]"),
    ("secret~put", r"\s[^\n|;&]{0,80}?<<<\s?"),
    ("vault~operator~unseal", r"\s(?:-\S{1,80}\s){0,3}(?!-)"),
    ("importprivkey", r"\s+"),
    ("--from-literal", r"[= ][\w.-]{1,80}="),
    ("aws_secret_access_key", r"\s(?![=:])"),
    ("sudo", r"\s(?:-\w\s){0,3}?-S\b[^\n|;]{0,80}?<<<\s?"),
    # settings and statements
    ("requirepass", r"\s"),
    ("masterauth", r"\s"),
    ("jdbc:oracle:thin:", r"[^\s/:@]{1,80}/(?=[^\s@]{4,80}@)"),
    ("machine", r"\s{1,9}\S{1,200}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}"),  # .netrc
    ("default", r"\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}"),
    (":5432:", r"[\w*-]{1,60}:[\w-]{1,60}:"),  # .pgpass
    (":3306:", r"[\w*-]{1,60}:[\w-]{1,60}:"),
    (":*:", r"[\w*-]{1,60}:[\w-]{1,60}:"),
    (":_password=", ""),  # .npmrc
    (":_authtoken=", r"\s?"),
    (":_authtoken", r"[\"']?\s(?![=:])"),  # npm config set
    (":_password", r"[\"']?\s(?![=:])"),
    ("_auth=", ""),
    ("set~password~for", r"\s\S{1,80}\s?=\s?(?i:password\()?"),
    ("password", r"\s?=\s?N(?=')"),
    ("identified~by", r"\s(?=[\"'])"),
    ("identified~with", r"\s\w{1,40}\s(?i:by)\s(?=[\"'])"),
    ("create~user", r"\s\S{1,80}\s(?i:identified by)\s"),
    ("alter~user", r"\s\S{1,80}\s(?i:identified by)\s"),
    ("connect~to", r"\s\S{1,80}\s(?i:identified by)\s"),
    ("convertto-securestring", r"\s(?i:-string\s)?(?=[\"'])"),
)

# What is written into a program that asks for a password: "echo 'ana:hunter22' | chpasswd".
_PIPED = r"""(?x)(?:\becho|\bprintf)\s(?:-\w{1,2}\s)?(?P<quote>["']?)(?:[\w.-]{1,60}:)?
    (?P<value>[^\s"'|:]{4,200})(?:\\n)?(?P=quote)\s{0,3}\|\s{0,3}
    (?:sudo\s(?:-\w\s){0,3}?-S|(?:sudo\s)?chpasswd|(?:sudo\s)?passwd\b|[^\n|;]{0,120}?--password-stdin
      |[^\n|;]{0,80}?-pass(?:phrase-fd|in)?\s)"""
_USER = (  # " -u ana:hunter22"
    r"(?:\s-u|\s--user|\s--proxy-user)[ =]{0,4}(?P<quote>[\"']?)[^\s\"':$<{]{0,80}:"
    r"(?P<value>(?:(?!(?P=quote))[^\n]){1,200}?|[^\s\"']{1,200}?)(?P=quote)(?=\s|$)"
)
_PAIR = (  # "ana / hunter22", "ana@shop.example and pass hunter22"
    r"[\"'`]?(?:[\w.@-]{2,40}[\"'`]?\s?[/:]|[\w.-]{1,40}@[\w.-]{2,40}\sand)\s?(?:pass\s)?"
    r"[\"'`]?(?P<value>[^\s\"'`,;]{6,80})"
)
_STRING, _LAST = r"""["'][^\s"'\n]{1,80}["']\s?,\s{0,3}""", r"""["'](?P<value>[^"'\n]{6,200})["']"""
_ENTER = r"\s(?:with|as|using|mit|als|con|como|avec)\s"
# A user and a password in a call or a sentence; a host or a database, a user and a password.
_CHOSEN = (
    ("login signin sign_in log_in authenticate auth", rf"\s?=?\s?\(\s{{0,3}}{_STRING}{_LAST}"),
    ("httpbasicauth basicauth basic_auth setbasicauth", rf"\s?\(\s{{0,3}}{_STRING}{_LAST}"),
    ("networkcredential usernamepasswordcredentials", rf"\s?\(\s{{0,3}}{_STRING}{_LAST}"),
    ("passwordauthentication", rf"\s?\(\s{{0,3}}{_STRING}{_LAST}"),
    ("connect mysqli_connect sequelize createconnection", rf"\s?\(\s?(?:{_STRING}){{2}}{_LAST}"),
    ("credential credentials creds login logins", rf"(?:\s(?:are|is))?:?\s{_PAIR}"),
    ("zugangsdaten identifiants credenciales", rf"(?:\s(?:sind|sont|son))?\s?:?\s{_PAIR}"),
    ("log~in logged~in login sign~in signed~in authenticate authenticated", _ENTER + _PAIR),
    ("connect dich entra connecte-toi", _ENTER + _PAIR),
    ("user", r"\s(?=[^\s/]{1,40}\s?/)" + _PAIR),
)
# "Authorization: ", and a credential of any form
_AUTHORIZATION = r"(?i)authorization[\"']?\s{0,3}[:=,]\s{0,3}[\"']?"
_CREDENTIAL = r"(?P<value>[\w+/=.~:%-]{6,4000})"
_SEED_NAME = (
    r"(?:(?i:seed[ _-]?(?:phrase|words)|mnemonic(?:[ _-]phrase)?|recovery[ _-]?phrase)"
    r"[^\n=:]{0,30}?(?:[=:]|\bis\b|\bare\b)[:\s\"']{1,12})"
)
# what "kubectl get secret x | base64 -d" prints in its next line
_DECODED = r"get secrets?\b[^\n]{0,200}base64 (?:-d|--decode|-D)\s?\n(?P<value>\S{6,200})(?:\n|\Z)"
_JWT = r"(?<![\w.-])(?P<value>eyJ[\w-]{10,4000}={0,2}\.eyJ[\w-]{6,8000}(?:\.[\w-]{0,2000})?)"
_UNSEAL = (  # '"unseal_keys_b64": ["...", "..."]'
    r"(?i)(?:unseal_|recovery_|\")keys(?:_b64|_base64|_hex)?\"\s?:\s{0,3}\["
    r"(?P<value>\s{0,20}\"[A-Za-z0-9+/=]{40,90}\"[\sA-Za-z0-9+/=\",]{0,2000})"
)
# a key beside the id that it belongs to
_AWS_PAIR = (
    r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}\b[^\n]{0,80}?"
    r"(?<![\w/+])(?P<value>[A-Za-z0-9/+]{40})(?![\w/+=])"
)
_TWILIO_PAIR = (
    r"(?<![A-Za-z0-9])AC[0-9a-f]{32}[\"':,\s][^\n]{0,40}?\s{0,8}[\"']?(?<![0-9A-Za-z])"
    r"(?P<value>[0-9a-f]{32})(?![0-9A-Za-z])"
)
# "1. apple 2. river ...": the words of a wallet; "abcd efgh ijkl mnop": a mail program's password
_NUMBERED = r"(?<!\w)(?P<value>1[.)] [a-z]{3,8}(?:\s{1,3}\d{1,2}[.)] [a-z]{3,8}){11,23})(?!\w)"
_FOUR_GROUPS = r"(?m)(?:^|[=:\"'(,]) ?(?P<value>[a-z]{4}(?: [a-z]{4}){3})(?=[\"'),;]|$)"
_USER_IN_URL = r"://[^\s:/@\"'<>]{0,80}:(?P<value>[^\s\"'<>/]{1,200})@(?=[\w.\[-])"
# "Bearer ...", the login in Docker's settings, and the signature of an address
_SCHEME = r"(?i)\b(?:bearer|basic)\s{1,3}(?P<value>[\w+/=.~-]{16,4000})"
_DOCKER = r"\"auth\"\s{0,3}:\s{0,3}\"(?P<value>[A-Za-z0-9+/]{12,4000}={0,2})\""
_SIGNED = (
    r"[?&](?:sig|X-Amz-Signature|X-Goog-Signature|X-Amz-Security-Token)="
    r"(?P<value>[\w%+/=.~-]{30,2000})"
)
# "Key 1: ..." as `vault operator init` prints it; a wallet's keys; "seed phrase: apple river ..."
_UNSEAL_LINE = r"(?m)^Key \d{1,2}: (?P<value>[0-9a-f]{66}|[A-Za-z0-9+/]{43,44}=?)$"
_B58 = "[1-9A-HJ-NP-Za-km-z]"
_WIF = rf"(?<![A-Za-z0-9])(?P<value>[5KL]{_B58}{{50,51}})(?![A-Za-z0-9])"
_XPRV = rf"(?<![A-Za-z0-9])(?P<value>xprv{_B58}{{100,112}})(?![A-Za-z0-9])"
_SEED = _SEED_NAME + r"(?P<value>[a-z]{3,8}(?:[ \n][a-z]{3,8}){11,23})(?!\w)"

# kind, needles, judge, pattern
_OTHERS = (
    ("url-password", "://", "url", _USER_IN_URL),
    ("url-token", "://", "long", r"://(?P<value>[^\s:/@\"'<>]{20,200})@(?=[\w.-])"),
    ("authorization", "authorization", "random", _AUTHORIZATION + _CREDENTIAL),
    ("authorization", "authorization", "handed",
     rf"{_AUTHORIZATION}[a-z-]{{3,16}}\s{{1,3}}{_CREDENTIAL}"),
    ("authorization", "bearer |basic ", "long", _SCHEME),
    ("authorization", '"auth"', "handed", _DOCKER),
    ("jwt", "eyj", "jwt", _JWT),
    ("jwt", "ZXlK", "sure", r"(?<![A-Za-z0-9+/])(?P<value>ZXlK[A-Za-z0-9+/_-]{80,8000}={0,2})"),
    ("signature", "sig=|signature=|security-token=", "any", _SIGNED),
    ("aws-key", "AKIA|ASIA", "random", _AWS_PAIR),
    ("twilio-key", "AC", "random", _TWILIO_PAIR),
    ("vault-key", "keys", "sure", _UNSEAL),
    ("vault-key", "key 1: ", "sure", _UNSEAL_LINE),
    ("join-token", "--token ", "sure", r"--token (?P<value>[a-z0-9]{6}\.[a-z0-9]{16})(?!\w)"),
    ("wallet-key", "k|l|5", "wif", _WIF),
    ("wallet-key", "private key|privkey", "any",
     r"(?i:private key|privkey)\W{1,4}(?P<value>0x[0-9a-f]{64})\b"),
    ("wallet-key", "xprv", "sure", _XPRV),
    ("seed-phrase", "seed|mnemonic|phrase", "words", _SEED),
    ("seed-phrase", "12. |12) ", "words", _NUMBERED),
    ("password", "pass|pw|smtp|mail|login", "letters", _FOUR_GROUPS),
    ("password", "-u|-user", "any", _USER),
    ("password", "echo |printf ", "any", _PIPED),
    ("password", "base64 ", "any", _DECODED),
)  # fmt: skip
PLACES = (
    *(
        SecretContext(
            "password", (word.replace("~", " "),), judge, lazy_pattern(way), at_needle=True
        )
        for judge, rows in (
            ("any", [(programs, way + _VALUE) for programs, way in _COMMANDS]),
            ("chosen", _CHOSEN),
        )
        for words, way in rows
        for word in words.split()
    ),
    *(
        SecretContext(kind, tuple(needles.split("|")), judge, lazy_pattern(form))
        for kind, needles, judge, form in _OTHERS
    ),
)
