"""Keys here are made of pieces: no literal of this file has the form of a key."""

import base64
import json
import random
import string
import subprocess
import sys
import time

import pytest
from cases import cased
from hypothesis import example, given, strategies as st

from memoria.privacy.secrets import redact
from memoria.text.shorten import shorten

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def made(seed, alphabet, length):
    return "".join(random.Random(seed).choices(alphabet, k=length))


# kind, prefix, alphabet and length of the rest
FAMILIES = [
    ("github-token", "ghp" + "_", ALNUM, 36),
    ("github-token", "github" + "_pat_", ALNUM + "_", 82),
    ("gitlab-token", "glpat" + "-", ALNUM, 20),
    ("aws-key", "AK" + "IA", UPPER, 16),
    ("gcp-key", "AI" + "za", ALNUM + "_-", 35),
    ("gcp-oauth", "ya29" + ".", ALNUM + "_-", 60),
    ("slack-token", "xox" + "b-", string.digits, 12),
    ("stripe-key", "sk_" + "live_", ALNUM, 24),
    ("openai-key", "sk-" + "proj-", ALNUM, 60),
    ("anthropic-key", "sk-" + "ant-api03-", ALNUM + "_-", 95),
    ("npm-token", "npm" + "_", ALNUM, 36),
    ("pypi-token", "pypi" + "-AgE", ALNUM + "_-", 80),
    ("huggingface-token", "hf" + "_", string.ascii_letters, 34),
    ("twilio-key", "S" + "K", HEX, 32),
    ("digitalocean-token", "dop" + "_v1_", HEX, 64),
    ("shopify-token", "shp" + "at_", HEX, 32),
    ("linear-key", "lin" + "_api_", ALNUM, 40),
    ("groq-key", "gsk" + "_", ALNUM, 52),
    ("databricks-token", "da" + "pi", HEX, 32),
    ("vault-token", "hvs" + ".", ALNUM, 90),
    ("postmark-key", "PMAK" + "-", HEX, 24),
]


def key(family, seed):
    kind, prefix, alphabet, length = family
    rest = made(seed, alphabet, length)
    if kind == "slack-token":
        rest = f"{rest}-{made(seed, string.digits, 12)}-{made(seed + 1, ALNUM, 24)}"
    if kind == "postmark-key":
        rest = f"{rest}-{made(seed, HEX, 34)}"
    return prefix + rest


CONTEXTS = [
    "{}", "I pasted {} into the dashboard.", "SERVICE={}\nPORT=80", "| prod | `{}` | eu |",
    "-old\n+x = '{}'", "https://api.example.com/v1?access={}&page=2", "\x1b[32m{}\x1b[0m",
    "<value>{}</value>", "({})",
]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES, ids=[f[0] + f[1] for f in FAMILIES])
def test_keys_of_providers_vanish_in_every_context(family):
    for seed in range(3):
        secret = key(family, seed)
        nested = json.dumps({"content": json.dumps({"out": f"line1\nKEY={secret}\n"})})
        for text in (*(context.format(secret) for context in CONTEXTS), nested):
            result = redact(text)
            assert secret not in result.text
            assert [one.kind for one in result.found] == [family[0]]
            assert redact(result.text).text == result.text


def test_a_key_split_by_invisible_characters_vanishes_whole():
    secret = key(FAMILIES[0], 1)
    split = secret[:9] + "\u200b" + secret[9:20] + "\x1b[1m" + secret[20:]
    assert redact(f"a {split} b").text == "a [REDACTED:github-token] b"


RANDOM = made(7, ALNUM, 32)
PASSWORD = "Wq7" + "!rtz8K"


@cased(
    ("Authorization: Basic " + base64.b64encode(b"ann:pw12").decode(), "YW5u", "Basic "),
    (f"X_TOKEN={made(3, ALNUM, 3000)}", made(3, ALNUM, 3000)[-20:], "X_TOKEN="),
)
def test_values_vanish_and_their_names_stay(text, secret, rest):
    text, secret = (
        one.replace("«password»", PASSWORD).replace("«random»", RANDOM) for one in (text, secret)
    )
    assert secret in text
    result = redact(text)
    assert secret not in result.text
    assert rest in result.text
    assert "[REDACTED:" in result.text
    assert len(result.found) == 1


@cased(
    "sha256:" + made(1, HEX, 64),
    '"signature": "' + made(2, ALNUM + "+/", 200) + '"',
    '{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo' + made(3, ALNUM, 400) + '"}',
    "uses: actions/checkout@" + made(4, HEX, 40),
    "next_token: " + made(5, ALNUM, 24),
)
def test_what_is_no_secret_stays(text):
    assert redact(text).text == text


def pem(label="PRIVATE" + " KEY"):
    body = [made(seed, ALNUM + "+/", 64) for seed in range(6)]
    return [f"-----BEGIN {label}-----", *body, f"-----END {label}-----"]


@pytest.mark.parametrize(
    "label", ["PRIVATE" + " KEY", "RSA PRIVATE" + " KEY", "OPENSSH PRIVATE" + " KEY"]
)
def test_key_blocks_vanish_also_with_their_ends_cut(label):
    lines = pem(label=label)
    body = lines[1:-1]
    for part in (lines, lines[:-1], lines[1:], body):
        for end in ("\n", "\\n", "\r\n"):
            text = f"before\n{end.join(part)}{end}after"
            result = redact(text).text
            assert not any(line in result for line in body)
            assert "before" in result
            assert "after" in result


@cased()
def test_key_blocks_vanish_with_what_readers_put_before_each_line(before):
    lines = pem()
    for part in (lines, lines[:-1], lines[1:]):
        shown = [before.format(number) + line for number, line in enumerate(part, 1)]
        result = redact("\n".join(["before", *shown, "", "after"])).text
        assert not any(line in result for line in lines[1:-1])
        assert result.startswith("before")
        assert result.endswith("after")
    if ("{" in before and "\u2502" not in before) or before == "-":  # the middle alone, too
        middle = [before.format(number) + line for number, line in enumerate(lines[3:-2], 4)]
        assert not any(line in redact("\n".join([*middle, ""])).text for line in lines[3:-2])


@pytest.mark.parametrize("before", ["{:>6}\u2192", "{}\t", "c.pem:{}:", "-"])
def test_other_blocks_stay_behind_numbers(before):
    lines = pem(label="CERTIFICATE")
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(300)).decode()
    for rows in (lines, [image[at : at + 76] for at in range(0, len(image), 76)]):
        text = "\n".join(before.format(number) + row for number, row in enumerate(rows, 1)) + "\n"
        assert redact(text).text == text
    log = "".join(f"{n}\t{made(n, HEX, 64)}\n" for n in range(9))  # hashes, no key
    assert redact(log).text == log


def test_other_blocks_stay():
    lines = pem(label="CERTIFICATE")
    text = "\n".join(lines) + "\n"
    assert redact(text).text == text
    assert (
        redact("-----BEGIN PRIVATE" + " KEY-----\n...\n-----END PRIVATE" + " KEY-----").found == ()
    )


def test_a_jwt_needs_a_header_that_is_one():
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    token = ".".join((part({"alg": "HS256"}), part({"sub": "ann", "n": 1}), made(1, ALNUM, 43)))
    assert redact(f"x {token} y").text == "x [REDACTED:jwt] y"
    other = ".".join((part({"version": "3"}), part({"sub": "ann", "n": 1}), made(1, ALNUM, 43)))
    assert redact(f"x {other} y").found == ()


def test_what_only_looks_like_a_jwt_and_is_nested_without_end_is_none():
    head = base64.urlsafe_b64encode(b'{"a":' + b"[" * 2900).decode().rstrip("=")
    assert redact(f"x {head}.eyJzdWIiOiIxMjM0NTY.{made(1, ALNUM, 43)} y").found == ()


def test_a_letter_whose_lower_case_is_two_hides_no_name():
    # \u0130 is in many a Turkish sentence
    assert redact(f"\u0130 DB_PASSWORD={PASSWORD}").text == "\u0130 DB_PASSWORD=[REDACTED:password]"


def test_base64_of_settings_is_read():
    hidden = base64.b64encode(f"DEBUG=1\nDB_PASSWORD={PASSWORD}\nPORT=80\n".encode()).decode()
    assert redact(f"data: {hidden}").text == "data: [REDACTED:base64]"
    value = made(5, ALNUM, 36)
    for text in (f"API_KEY=~~~???ghp_{value}", f"DEBUG=1\nKEY=>>>???\nDB_PASSWORD={PASSWORD}"):
        hidden = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        assert {"-", "_"} & set(hidden)
        assert redact(f"data: {hidden}").text == "data: [REDACTED:base64]"
    harmless = base64.b64encode(b"DEBUG=1\nPORT=80\nHOST=localhost\nMODE=fast\n").decode()
    assert redact(f"data: {harmless}").found == ()


def test_known_values_vanish_whatever_they_look_like():
    result = redact("pw is swordfish, again sword\u200bfish", ["swordfish", "pw", ""])
    assert result.text == "pw is [REDACTED:known-value], again [REDACTED:known-value]"
    assert redact(result.text, ["swordfish", "REDACTED", "known-value"]).text == result.text
    escaped = redact(r"{\"x\": \"a\/b%3Dc12345\"}", ["a/b=c12345"])
    assert escaped.text == r"{\"x\": \"[REDACTED:known-value]\"}"


def test_findings_say_where():
    result = redact(f"one\ntwo\nDB_PASSWORD={PASSWORD}\n")
    assert [(one.kind, one.line) for one in result.found] == [("password", 3)]


PIECE = st.sampled_from(
    ["token=", "password: ", '"', "'", "\n", " ", "\\n", "://a:", "@host", "Bearer ", "-u a:",
    RANDOM,
     PASSWORD, key(FAMILIES[0], 1), key(FAMILIES[3], 2), "[REDACTED:jwt]", "[REDACTED", "%3D",
     "\x1b[1m",
     "\u200b", "Cookie: a=", "-----BEGIN PRIVATE" + " KEY-----\n", "-----END PRIVATE" + " KEY-----",
     made(9, ALNUM, 64) + "\n", "eyJ", ".", "=", "secret", "_key", "x"]
)  # fmt: skip


@given(st.lists(PIECE, max_size=10).map("".join) | st.text(max_size=60))
@example("token=[REDACTED:jwt]" + RANDOM)
def test_redact_is_idempotent_and_quiet_on_its_own_output(text):
    once = redact(text, ["known-value-1"])
    again = redact(once.text, ["known-value-1"])
    assert again.text == once.text
    assert again.found == ()
    assert bool(once.found) == (once.text != text)


LONG = 50_000


def cpu(work):
    """Time the CPU of this process for some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


@pytest.fixture(scope="module")
def yardstick():
    """Time what is linear for certain: a look at each character of a long text, ten times."""
    text = "a1 " * (LONG // 3)
    return min(cpu(lambda: [char.isalnum() for _ in range(10) for char in text]) for _ in range(3))


@cased(
    "aA1" * 22 + "\n",
    "-----BEGIN RSA PRIVATE" + " KEY-----\n",
    "-----END PRIVATE" + " KEY-----",
    "5" * 51 + " ",
    "AC" + "0" * 32 + " ",
    "-----BEGIN PRIVATE" + " KEY-----\n-----END PRIVATE" + " KEY-----\n",
)
def test_redaction_is_linear(seed, yardstick):
    text = (seed * (LONG // len(seed) + 1))[:LONG]
    # the slowest text takes 17 yardsticks; searches that were quadratic took 200 and more
    times = (cpu(lambda: redact(text)) for _ in range(3))
    assert any(seconds < 50 * yardstick for seconds in times)


def test_a_manifest_with_one_line_of_blanks_is_read_in_linear_time(yardstick):
    text = "kind: Secret\na" + " " * LONG + "b"
    assert cpu(lambda: redact(text)) < 50 * yardstick


def test_no_pattern_is_compiled_before_it_is_used():
    code = (
        "import re, sys; before = set(sys.modules); seen = []; real = re._compiler.compile\n"
        "re._compiler.compile = lambda p, *a: (seen.append(p), real(p, *a))[1]\n"
        "import memoria.privacy.secrets\n"
        "print([p for p in seen if 'pass' in str(p) or 'KEY' in str(p)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- Forms, places and disguises that were added after gitleaks, betterleaks and detect-secrets ----

NEWER = [
    ("nvidia-key", "nv" + "api-", ALNUM, 64), ("vercel-token", "vc" + "p_", ALNUM, 56),
    ("neon-key", "na" + "pi_", ALNUM, 64), ("cloudflare-token", "cf" + "at_", HEX, 48),
    ("mongodb-secret", "mdb" + "_sa_sk_", ALNUM, 40), ("together-key", "tg" + "p_v1_", ALNUM, 43),
    ("apify-token", "api" + "fy_api_", ALNUM, 36), ("deno-token", "dd" + "p_", ALNUM, 36),
    ("adobe-secret", "p8" + "e-", ALNUM, 32), ("clickhouse-key", "4b" + "1d", ALNUM, 38),
    ("cerebras-key", "cs" + "k-", HEX, 48), ("woocommerce-key", "cs" + "_", HEX, 40),
]  # fmt: skip


@pytest.mark.parametrize("family", NEWER, ids=[f[0] for f in NEWER])
def test_keys_of_newer_providers_vanish(family):
    secret = key(family, 3)
    for context in CONTEXTS:
        result = redact(context.format(secret))
        assert secret not in result.text
        assert [one.kind for one in result.found] == [family[0]]


def test_a_provider_that_nobody_listed_is_known_by_what_its_key_is_called():
    secret = "acme" + "_live_" + "aB3" + made(1, ALNUM, 27)
    assert redact(f"set it to {secret}!").text == "set it to [REDACTED:provider-key]!"
    for kept in ("toolu_01" + made(2, ALNUM, 22), "msg_01" + made(3, ALNUM, 22),
                 "is_api_key_" + "a" * 30, "pk" + "_live_" + made(4, ALNUM, 24)):  # fmt: skip
        assert redact(f"x {kept} y").found == ()


@pytest.mark.parametrize("family", FAMILIES[:10], ids=[f[0] + f[1] for f in FAMILIES[:10]])
def test_keys_that_a_terminal_broke_at_the_end_of_a_line_vanish(family):
    secret = key(family, 5)
    for cut in range(len(family[1]) + 2, len(secret) - 6, 7):
        text = f"the key {secret[:cut]}\n{secret[cut:]} is old"
        result = redact(text)
        assert secret[cut:] not in result.text or secret[:cut] not in result.text
        assert result.found


@cased()
def test_passwords_vanish_where_commands_calls_and_sentences_have_them(text):
    for password in ("Sommer" + "2026!", "blue-tiger-" + "wolke76", "x7Kq" + "rtz8Kwq2"):
        result = redact(text.format(password))
        assert password not in result.text
        assert {one.kind for one in result.found} <= {"password", "secret", "url-password"}


@cased()
def test_sentences_and_commands_without_a_password_stay(text):
    assert redact(text).text == text


IDS = st.one_of(
    st.uuids().map(str),
    st.text(HEX, min_size=32, max_size=32),
    st.text(HEX, min_size=40, max_size=40),
    st.text(HEX, min_size=64, max_size=64).map("sha256:{}".format),
    st.text(ALNUM, min_size=22, max_size=22).map("toolu_01{}".format),
    st.text(ALNUM, min_size=22, max_size=22).map("msg_01{}".format),
    st.text(ALNUM + "+/", min_size=86, max_size=86).map("sha512-{}==".format),
    st.text(ALNUM + "+/", min_size=43, max_size=43).map("h1:{}=".format),
    st.text(ALNUM + "+/", min_size=80, max_size=300).map('"signature": "{}=="'.format),
    st.text(ALNUM + "+/", min_size=80).map("data:image/png;base64,iVBORw0KGgo{}".format),
)
AROUND = st.sampled_from(
    ["{}", "commit {}", "index {}..{} 100644", '"id": "{}"', "integrity {}", "- uses: a/b@{}",
     "digest: {}\n", "{} *file.txt", "resolved https://r.example/a.tgz#{}", "[{}] done", "in {},"]
)  # fmt: skip


@given(IDS, AROUND)
# a checksum that spells a name before the "=" that fills it up
@example(f"h1:{made(1, ALNUM, 40)}PWD=", "index {}..{} 100644")
@example(f"sha512-{made(2, ALNUM, 81)}Token==", "index {}..{} 100644")
def test_ids_hashes_signatures_and_images_are_never_touched(identity, around):
    text = around.format(identity, identity)
    assert redact(text).text == text


@given(st.sampled_from(FAMILIES), st.integers(0, 400), st.sampled_from(CONTEXTS))
def test_a_cut_between_words_leaves_no_half_of_a_key(family, shift, context):
    secret = key(family, 11)
    text = "word " * (shift // 5 + 1) + "x" * (shift % 5) + " " + context.format(secret) + " end."
    long = (text + "\n") * 40
    short = redact(shorten(long, 1000)).text
    assert not any(secret[at : at + 12] in short for at in range(0, len(secret) - 12, 4))
