"""Forms as tools print them and sentences as people write them; the secrets are made here."""

import base64
import hashlib
import random
import string

import pytest

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
GROUPS = "jsmr enmr rxqt azhy"
SEED = "ribbon velvet orbit canyon museum purse lunar sketch tiger wagon hollow piano"
LIST = (
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    conf: {}\n  kind: Secret\nkind: List\n"
)


@pytest.mark.parametrize(
    ("form", "secret"),
    [
        ("AWS Secret Access Key [None]: {}\nDefault region name [None]:", AWS),
        (f"ACCESSKEY\t{AWS_ID}\t2026-01-12T09:10:11\t{{}}\tActive", AWS),
        ("|  SecretAccessKey|  {}  |", AWS),
        (f'client = Client("{SID}", "{{}}")', HEX),
        (f'new Client("{SID}",\n    "{{}}");', HEX),
        ("curl https://api.telegram.org/bot{}/getMe", BOT),
        ('{{"auths": {{"ghcr.io": {{"auth": "{}"}}}}}}', AUTH),
        ("apiVersion: v1\ndata:\n  value: {}\nkind: Secret\nmetadata:\n  name: billing\n", B64),
        ('{{\n  "data": {{\n    "value": "{}"\n  }},\n  "kind": "Secret"\n}}', B64),
        ('{{"data":{{"one":"{}"}},"kind":"Secret"}}', B64),
        ("     1\u2192data:\n     2\u2192  value: {}\n     3\u2192kind: Secret", B64),
        (LIST, B64),
        ("kind: Secret\nstringData:\n  text: |\n    phrase: {}\n", "Wiesenschaumkraut"),
        ("Unseal Key 1: {}", B64),
        ("Unseal Key (will be hidden): {}", B64),
        ('"unseal_keys_b64": [\n  "{}"\n]', B64),
        ("vault operator unseal {}", B64),
        ("export GITLAB_PAT={}", made(26)),
        ("NEXUS_CREDS=deployer:{}", CHOSEN),
        ("set DB_PWD={}", CHOSEN),
        ("SMTP_PASS={}", GROUPS),
        ("Your app password for your device\n{}", GROUPS),
        ("| User | Password |\n|---|---|\n| ida | {} |", CHOSEN),
        (" id | password\n----+---------\n  1 | {}\n(1 row)", CHOSEN),
        ("+----+----------+\n| id | password |\n+----+----------+\n|  1 | {} |", CHOSEN),
        ("host,user,password\ndb,ida,{}", CHOSEN),
        ("db:\n  user: app\n  pass: {}", "schraubstock"),
        ("CREATE USER a IDENTIFIED BY '{}';", CHOSEN),
        ("ALTER USER a IDENTIFIED WITH mysql_native_password BY '{}';", CHOSEN),
        ("openssl enc -aes-256-cbc -in a -out b -k {}", "winterreise"),
        (r"net use Z: \\files\share {} /user:ACME\ida", CHOSEN),
        (r'{{"out": "\u001b[32mmysql -u root -p{} shop"}}', CHOSEN),
        (r"net use \\nas\media /user:ida {}", CHOSEN),
        ("bitcoin-cli importprivkey {}", wif()),
        ("{}", wif()),
        ("seed phrase: {}", SEED),
        ('MNEMONIC="{}"', SEED),
        ("\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1d{}", CHOSEN),
        ("password&#61;&quot;{}&quot;", CHOSEN),
        ("&lt;password&gt;{}&lt;/password&gt;", CHOSEN),
        (f"rm dumps/{AWS_ID}_backup.sql", AWS_ID),
        ("keytool -genkey -storepass {}", CHOSEN),
        ("kubectl create secret generic a --from-literal=v={}", CHOSEN),
        ('{{"name":"DB_PASSWORD","value":"{}"}}', CHOSEN),
        ("ARTIFACTORY_PASSPHRASE={}", "vier kleine blaue Schuhe"),
    ],
)
def test_what_tools_print_vanishes(form, secret):
    text = form.format(secret)
    assert secret in text
    result = redact(text).text
    assert secret not in result
    assert redact(result).text == result


@pytest.mark.parametrize(
    "sentence",
    [
        "Das Passwort f\xfcr die Datenbank ist {}, bitte nicht weitergeben.",
        "Das Kennwort von root ist \u201e{}\u201c.", "Nimm als Passwort {} f\xfcr den Test.",
        "La contrase\xf1a de la base de datos es {}, no la compartas.",
        "usa la clave {} para entrar", "puse {} como contrase\xf1a",
        "Le mot de passe de la base est {}.", "mon mdp c'est {}", "Mot de passe : \xab {} \xbb",
        "La password del database \xe8 {}", "Parola d'ordine: {}",
        "A senha do banco \xe9 {}, n\xe3o mande.", "A palavra-passe do servidor \xe9 {}",
        "\u041f\u0430\u0440\u043e\u043b\u044c \u043e\u0442 \u0431\u0430\u0437\u044b: {}",
        "\u0437\u0430\u0439\u0434\u0438 \u0441 \u043f\u0430\u0440\u043e\u043b\u0435\u043c {}",
        "\u6570\u636e\u5e93\u5bc6\u7801\u662f{}\uff0c\u4e0d\u8981\u5916\u4f20",
        "\u53e3\u4ee4\u4e3a\u201c{}\u201d",
        "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f\u300c{}\u300d\u3067\u3059",
        "The password for the staging database is {}.", "use {} as the password",
        "I set the root password to {}", "log in as admin with password {} and check",
    ],
)  # fmt: skip
def test_passwords_vanish_from_sentences_of_ten_languages(sentence):
    for password in (CHOSEN, "Gartenzwerg12", "kot_v_sapogah7"):
        assert password not in redact(sentence.format(password)).text


@pytest.mark.parametrize(
    "text",
    [
        "PWD=/home/ida/src/shop2", "memoria --pwd ./src/x2", "Pwd: /Users/ida/src2",
        r"PWD: C:\Users\ida\src2", "OLDPWD=~/src2", "pwd=$(pwd)", '"pwd": "src/app2"',
        "Das Passwort muss 12 Zeichen haben.", "La contrase\xf1a expira en 90 d\xedas",
        "Le mot de passe est obligatoire.", "La password \xe8 errata", "A senha expira em 30 dias",
        "\u041f\u0430\u0440\u043e\u043b\u044c \u043d\u0435\u0432\u0435\u0440\u0435\u043d",
        "\u5bc6\u7801\u6bcf90\u5929\u8fc7\u671f",
        "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f\u5fc5\u9808",
        "apiVersion: v1\ndata:\n  a.yaml: aGVsbG8gd29ybGQ=\nkind: ConfigMap\n",
        "kind: Secret\nmetadata:\n  name: billing\ntype: Opaque",
        "| Field | Type |\n|---|---|\n| password | string |",
        "| Method | Token |\n|---|---|\n| GET | not required |",
        "| Test | Pass | Fail |\n|---|---|---|\n| unit | 120 | 0 |",
        "name,token,age\nparser,IDENT,3", "user commit: bbb712c", "log in with GitHub and Google2",
        'client = Client("localhost", "6379")', '"auth": "oauth2-client-credentials",',
        "seed: 42", "the recovery phrase is kept on paper by the owner and nobody else at all here",
        "net user", "make -k test", "openssl dgst -k file", "this that with from",
        "GH_PAT: ${{ secrets.GH_PAT }}", "compat = v2", '--proxy-bypass "localhost,*.internal"',
    ],
)  # fmt: skip
def test_what_only_looks_like_these_forms_stays(text):
    assert redact(text).text == text


def test_a_harmless_manifest_beside_a_secret_stays():
    harmless = "apiVersion: v1\ndata:\n  a: aGVsbG8gd29ybGQ=\nkind: ConfigMap\n"
    secret = f"apiVersion: v1\ndata:\n  a: {B64}\nkind: Secret\n"
    for text in (f"{harmless}---\n{secret}", f"{secret}---\n{harmless}"):
        result = redact(text).text
        assert "aGVsbG8gd29ybGQ=" in result
        assert B64 not in result
