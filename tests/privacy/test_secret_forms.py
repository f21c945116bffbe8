"""Forms as tools print them and sentences as people write them; the secrets are made here."""

import base64
import hashlib
import random
import string

from cases import cased

from memoria.privacy.secrets import redact

ALNUM = string.ascii_letters + string.digits
CHOSEN = "Lindwurm" + "-42!"


def made(length, alphabet=ALNUM):
    return "".join(random.Random(length).choices(alphabet, k=length))


def wif():
    raw = b"\x80" + bytes(range(32)) + b"\x01"
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    letters = string.digits[1:] + "ABCDEFGHJKLMNPQRSTUVWXYZ" + "abcdefghijkmnopqrstuvwxyz"
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = letters[rest] + text
    return text


AWS, HEX, B64 = made(40), made(32, "0123456789abcdef"), base64.b64encode(made(33).encode()).decode()
AWS_ID, SID = (
    "AK" + "IA" + made(16, string.ascii_uppercase),
    "A" + "C" + made(32, "0123456789abcdef"),
)
AUTH = base64.b64encode(f"ida:{CHOSEN}".encode()).decode()
BOT = "5839201746" + ":AA" + made(33)
SECRETS = {"AWS": AWS, "AWS_ID": AWS_ID, "HEX": HEX, "B64": B64, "BOT": BOT, "AUTH": AUTH}
SECRETS |= {"CHOSEN": CHOSEN, "PAT": made(26), "WIF": wif(), "GROUPS": "jsmr enmr rxqt azhy"}
SECRETS["SEED"] = "ribbon velvet orbit canyon museum purse lunar sketch tiger wagon hollow piano"


@cased()
def test_what_tools_print_vanishes(form, secret):
    secret = SECRETS.get(secret, secret)
    text = form.format(secret, aws=AWS_ID, sid=SID)
    assert secret in text
    result = redact(text).text
    assert secret not in result
    assert redact(result).text == result


@cased()
def test_passwords_vanish_from_sentences_of_ten_languages(sentence):
    for password in (CHOSEN, "Gartenzwerg12", "kot_v_sapogah7"):
        assert password not in redact(sentence.format(password)).text


@cased()
def test_what_only_looks_like_these_forms_stays(text):
    assert redact(text).text == text


def test_a_harmless_manifest_beside_a_secret_stays():
    harmless = "apiVersion: v1\ndata:\n  a: aGVsbG8gd29ybGQ=\nkind: ConfigMap\n"
    secret = f"apiVersion: v1\ndata:\n  a: {B64}\nkind: Secret\n"
    for text in (f"{harmless}---\n{secret}", f"{secret}---\n{harmless}"):
        result = redact(text).text
        assert "aGVsbG8gd29ybGQ=" in result
        assert B64 not in result
