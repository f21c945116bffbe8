"""A seed -> texts with and without secrets, made from the formats alone.

No key of anybody stands here: a form is a prefix and the kind of characters that follow, so that no
scanner and no push protection sees a key. The forms are public facts; the contexts are what
transcripts are made of. The trap: cases made by whoever made the redactor are in-sample as to their
contexts, so a file of other people's cases can be given to bench/leaks.py as well.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
# the letters of a form: {A36} is 36 of these
ALPHABETS = {
    "A": UPPER + LOWER + DIGITS,
    "W": UPPER + LOWER + DIGITS + "_-",
    "H": "0123456789abcdef",
    "X": "0123456789abcdefABCDEF",
    "U": UPPER + DIGITS,
    "a": LOWER + DIGITS,
    "l": LOWER,
    "L": UPPER + LOWER,
    "D": DIGITS,
    "B": UPPER + LOWER + DIGITS + "+/",
    "2": LOWER + "234567",
}
_HOLE = re.compile(r"\{([A-Za-z2])(\d+)\}")
_UUID = "{H8}-{H4}-{H4}-{H4}-{H12}"

# forms that are keys wherever they stand
PROVIDERS = (
    "ghp_{A36}",
    "gho_{A36}",
    "ghs_{A36}",
    "github_pat_{A22}_{A59}",
    "glpat-{W20}",
    "gldt-{W20}",
    "glrt-{W20}",
    "AKIA{U16}",
    "ASIA{U16}",
    "AIza{W35}",
    "ya29.{W80}",
    "GOCSPX-{W28}",
    "xoxb-{D12}-{D12}-{A24}",
    "xoxp-{D12}-{D12}-{D12}-{H32}",
    "xapp-1-{U11}-{D13}-{H64}",
    "sk_live_{A24}",
    "rk_live_{A24}",
    "whsec_{A32}",
    "sk-ant-api03-{W93}AA",
    "sk-ant-oat01-{W86}AA",
    "sk-proj-{W74}T3BlbkFJ{W74}",
    "sk-{A48}",
    "sk-or-v1-{H64}",
    "gsk_{A52}",
    "xai-{A80}",
    "pplx-{A48}",
    "r8_{A37}",
    "hf_{L34}",
    "npm_{A36}",
    "pypi-AgEIcHlwaS5vcmc{W80}",
    "dckr_pat_{W27}",
    "SK{H32}",
    "SG.{W22}.{W43}",
    "dop_v1_{H64}",
    "dp.pt.{A43}",
    "shpat_{H32}",
    "lin_api_{A40}",
    "ntn_{D11}{A35}",
    "dapi{H32}",
    "glsa_{A32}_{H8}",
    "hvs.{W95}",
    "NRAK-{U27}",
    "pul-{H40}",
    "PMAK-{H24}-{H34}",
    "sntryu_{H64}",
    "figd_{W40}",
    "tskey-auth-{A12}-{A32}",
    "nvapi-{W64}",
    "napi_{a64}",
    "vcp_{A56}",
    "cfat_{A40}{H8}",
    "re_{A8}_{A24}",
    "sb_secret_{A22}_{A8}",
    "sbp_{H40}",
    "rnd_{A28}",
    "phx_{A43}",
    "tgp_v1_{W43}",
    "csk-{a48}",
    "ATATT3xFfGF0{A150}={U8}",
    "AstraCS:{A24}:{H64}",
    "apify_api_{A36}",
    "lsv2_pt_{H32}_{H10}",
    "pcsk_{A6}_{A63}",
    "os_v2_app_{2103}",
    "rzp_live_{A14}",
    "bkua_{H40}",
    "CCIPAT_{A22}_{H40}",
    "fo1_{W43}",
    "AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE",
    "{D10}:AA{W33}",
    "p8e-{a32}",
    "4b1d{A38}",
    "mdb_sa_sk_{W40}",
    "wandb_v1_{A77}",
    "dt0c01.{U24}.{U64}",
    "{A14}.atlasv1.{W67}",
    "nfp_{A40}",
    "LTAI{A20}",
    "ops_eyJ{B250}",
    "tfp_{A44}_{A14}",
    "https://hooks.slack.com/services/T{U10}/B{U10}/{A24}",
    "sk-lf-" + _UUID,
    "polar_oat_{A43}",
    "https://discord.com/api/webhooks/{D18}/{W68}",
    "SWMTKN-1-{a50}-{a25}",
    "llx-{A48}",
    "duffel_live_{W43}",
)
# values without a form, behind a name that tells
NAMED = (
    ("AWS_SECRET_ACCESS_KEY", "{B40}"),
    ("DATADOG_API_KEY", "{H32}"),
    ("TWILIO_AUTH_TOKEN", "{H32}"),
    ("client_secret", "{A40}"),
    ("ALGOLIA_ADMIN_KEY", "{H32}"),
    ("session_secret", "{H64}"),
    ("CLOUDFLARE_API_TOKEN", "{W40}"),
    ("HEROKU_API_KEY", _UUID),
    ("jwt_secret", "{B44}="),
    ("accessToken", "{A64}"),
    ("apiKey", "{a24}"),
    ("authToken", "{A32}"),
    ("DEPLOY_KEY", "{A40}"),
    ("SECRET_KEY_BASE", "{H128}"),
    ("AccountKey", "{B86}=="),
    ("ENCRYPTION_KEY", "{B43}="),
    ("refresh_token", "{W60}"),
    ("SONAR_TOKEN", "{H40}"),
    ("private_token", "{W20}"),
)
_WORDS = """winter sommer dragon tiger monkey blue anna peter berlin coffee hallo mango kitten sunny
    guitar pizza turtle falcon orange stern wolke""".split()  # noqa: SIM905 - a list of words
_SIGNS = "!#$%&*+-=?_"
PASSWORDS = (
    "DB_PASSWORD={}",
    "export PGPASSWORD='{}'",
    'password: "{}"',
    '{{"user": "app", "password": "{}"}}',
    "mysql -u root -p{} shop",
    "curl -u deploy:{} https://ci.example.org/job",
    "the password is {} for now",
    "spring.datasource.password={}",
    "sshpass -p '{}' ssh root@10.0.0.5",
    "<password>{}</password>",
    "Server=db;Database=app;User Id=sa;Password={};Encrypt=true",
    "ALTER USER app WITH PASSWORD '{}';",
    "docker login -u ci -p {} registry.example.org",
    "machine api.example.org login ci password {}",
    "redis-cli -h cache -a {} ping",
    "conn = connect(host='db', user='app', password='{}')",
    "ENV ADMIN_PASSWORD {}",
    "wifi password: {}",
    'passwd = "{}"',
    "root_pw={}",
    "smtp_pass: '{}'",
    "ansible_become_pass={}",
    "CREATE USER app IDENTIFIED BY '{}';",
    "net use Z: \\\\srv\\share /user:me {}",
    "- name: POSTGRES_PASSWORD\n  value: {}",
    "--password={}",
    "--password {}",
    "| admin | password: `{}` |",
)
CONNECTIONS = (
    "postgres://app:{}@db.internal:5432/shop",
    "mysql://root:{}@127.0.0.1/shop",
    "mongodb+srv://app:{}@cluster0.abcde.mongodb.net/test",
    "redis://:{}@cache:6379/0",
    "amqp://guest2:{}@mq:5672/vhost",
    "https://ci:{}@git.example.org/team/repo.git",
    "DATABASE_URL=postgresql+asyncpg://svc:{}@10.1.2.3/app?sslmode=require",
    "jdbc:postgresql://db/app?user=app&password={}",
    "sftp://backup:{}@files.example.org/in",
    "clickhouse://default:{}@ch:9000/logs",
    "ldap://cn=admin:{}@ldap.example.org",
)
CONTEXTS = (
    "{}",
    "I pasted {} into the dashboard, can you rotate it?",
    "SERVICE_TOKEN={}\nPORT=8080\n",
    "export TOKEN={}",
    'const key = "{}";',
    "| prod | `{}` | eu |",
    "- token: {}\n  region: eu",
    "-old line\n+  token = '{}'\n",
    "https://api.example.com/v1?access={}&page=2",
    "\x1b[32m{}\x1b[0m",
    "<value>{}</value>",
    "curl -H 'Authorization: Bearer {}' https://api.x.io",
    "Traceback (most recent call last):\n  AuthError: invalid key {} (401)",
    "key={}, region=eu",
    '{{"content": "KEY={}\\nPORT=1"}}',
    "Using {}.",
    "$ echo {} | base64",
    "`{}`",
    "({})",
    "[1] {}",
)
CLEAN = (
    "commit {H40}",
    "index {H7}..{H7} 100644",
    "sha256:{H64}",
    _UUID,
    "toolu_01{A22}",
    "msg_01{A22}",
    '"signature": "{B340}=="',
    "data:image/png;base64,iVBORw0KGgo{B400}",
    '"integrity": "sha512-{B86}=="',
    "md5 {H32}",
    'etag: W/"{H32}"',
    "uses: actions/checkout@{H40}",
    "req_01{A22}",
    "SHA256:{B43}",
    "API_KEY=your-api-key-here",
    "password = ${{DB_PASSWORD}}",
    "token: <your-token>",
    "secret: changeme",
    'password=os.environ["DB_PASSWORD"]',
    "token = self._next_token()",
    "max_tokens: 4096",
    "sk-xxxxxxxx",
    "def set_password(self, password: str) -> None:",
    "postgres://user:password@localhost/db",
    "Authorization: Bearer $TOKEN",
    "if (token === undefined) throw new Error('no token')",
    "The password must have at least 12 characters and a digit.",
    "key: value",
    "--token-file /run/token",
    'hash = "{H64}"',
    "go.sum h1:{B43}=",
    "resolved https://registry.example.org/a/-/a-1.2.3.tgz#{H40}",
    "AKIAIOSFODNN7EXAMPLE",
    "GITHUB_TOKEN: ${{{{ secrets.GITHUB_TOKEN }}}}",
    "kubectl get secret db-creds -o yaml",
    "nonce-{B22}==",
    "cache key: linux-node-{H64}",
    "session: " + _UUID,
    "request id {H16}-{H16}",
    "password_hash = hash_password(password)",
    "api_key = settings.api_key",
    "trace {H32} span {H16}",
    '"tokenizer": "cl100k_base"',
    "passwordField.sendKeys(value)",
    "secret_key_ref: db-password",
    "const token = await getAccessToken(user)",
    "token_count=18234",
    "docker image {H12}",
    "refactor: rename passwordResetToken to resetToken",
    "csrf_token = request.POST.get('csrf')",
    "uuid {H8}-{H4}-{H4}-{H4}-{H12}, id 01{U24}",
    'author_key: "jane-doe-2026"',
    "primary_key=True",
    "PASSWORD=",
    "password: null",
    "curl -u $USER:$PASS https://x.io",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{B43} me@host",
)


@dataclass(frozen=True)
class Case:
    """A text, the secret in it ("" for none), what kind it is of and how it was disguised."""

    text: str
    secret: str
    kind: str
    form: str


def fill(form: str, rng: random.Random) -> str:
    """Make one value of a form."""
    return _HOLE.sub(lambda m: "".join(rng.choices(ALPHABETS[m[1]], k=int(m[2]))), form)


def password(rng: random.Random) -> str:
    """Make up a password as people and their generators do; none is a plain word."""
    word = rng.choice(_WORDS)
    return rng.choice(
        (
            word.capitalize() + str(rng.randint(10, 2030)) + rng.choice("!?#"),
            word + rng.choice(_SIGNS) + rng.choice(_WORDS) + str(rng.randint(1, 99)),
            "-".join(rng.choices(_WORDS, k=3)) + str(rng.randint(1, 99)),
            word.replace("a", "4").replace("o", "0").replace("e", "3") + str(rng.randint(1, 99)),
            "".join(rng.choices(UPPER + LOWER + DIGITS, k=rng.randint(10, 20))),
            "A7" + "".join(rng.choices(UPPER + LOWER + DIGITS + _SIGNS, k=rng.randint(8, 18))),
            "".join(rng.choices(LOWER + DIGITS, k=14)) + "9",
        )
    )


def _split(secret: str, rng: random.Random) -> str:
    at = rng.randint(4, len(secret) - 4)
    return secret[:at] + rng.choice(("\u200b", "\u2060", "\x1b[0m", "\ufeff")) + secret[at:]


def _wrapped(secret: str, rng: random.Random) -> str:
    at = rng.randint(len(secret) // 3, len(secret) - 8)
    return f"saw {secret[:at]}\n{secret[at:]} in the log"


def _percent(secret: str, _: random.Random) -> str:
    return "https://x.io/?next=" + quote("https://y.io/?k=" + secret, safe="")


def disguised(secret: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Give the forms in which a key hides: name and text."""
    twice = json.dumps({"stdout": json.dumps({"line": f"x\nTOKEN={secret}\n"})})
    yield "twice in JSON", twice
    yield "invisible characters", f"key {_split(secret, rng)} end"
    yield "URL escapes", _percent(secret, rng)
    yield "wrapped line", _wrapped(secret, rng)
    settings = f"DEBUG=1\nAPI_TOKEN={secret}\nPORT=8080\n"
    yield "base64", "content: " + base64.b64encode(settings.encode()).decode()


def pem(rng: random.Random) -> Iterator[Case]:
    """Private key blocks, whole and cut."""
    label = rng.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")) + "PRIVATE" + " KEY"
    body = [fill("{B64}", rng) for _ in range(12)] + [fill("{B30}", rng) + "=="]
    lines = [f"-----BEGIN {label}-----", *body, f"-----END {label}-----"]
    for form, part in (("whole", lines), ("no header", lines[4:]), ("no end", lines[:8]),
                       ("middle", lines[3:9])):  # fmt: skip
        yield Case("\n".join(["$ cat id", *part, ""]), body[5], "key block", form)
    yield Case(json.dumps({"private_key": "\n".join(lines)}), body[5], "key block", "JSON")


def cases(seed: int = 1, rounds: int = 2) -> Iterator[Case]:
    """Make all kinds of cases; the same for the same seed."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for form in PROVIDERS:
            secret = fill(form, rng)
            yield Case(rng.choice(CONTEXTS).format(secret), secret, "provider", form)
            if "://" not in secret:
                name, text = rng.choice(list(disguised(secret, rng)))
                yield Case(text, secret, "provider, disguised", name)
        for name, form in NAMED:
            secret = fill(form, rng)
            for template in ("{}={}", '"{}": "{}"', "export {}='{}'", "{}: {}", '{} = "{}"'):
                yield Case(template.format(name, secret), secret, "named key", template)
        for template in PASSWORDS:
            secret = password(rng)
            yield Case(template.format(secret), secret, "password", template)
        for template in CONNECTIONS:
            secret = re.sub(r"[#?%/]", "x", password(rng))
            yield Case(template.format(secret), secret, "connection string", template)
        yield from pem(rng)
        for form in CLEAN:
            yield Case(fill(form.replace("{{", "\0").replace("}}", "\1"), rng)
                       .replace("\0", "{").replace("\1", "}"), "", "clean", form)  # fmt: skip
