import random
import string

import pytest

from memoria.privacy.secret_values import is_code, is_password, is_placeholder, is_random


def made(seed, alphabet, length):
    return "".join(random.Random(seed).choices(alphabet, k=length))


@pytest.mark.parametrize("alphabet", [string.ascii_letters + string.digits, "0123456789abcdef"])
@pytest.mark.parametrize("length", [24, 40, 64])
def test_random_values_are_told_from_words(alphabet, length):
    values = [made(seed, alphabet, length) for seed in range(200)]
    # one in a hundred may look like words; measured over more seeds it is fewer
    assert sum(is_random(value) for value in values) >= 198
    assert not any(is_placeholder(value) for value in values)


@pytest.mark.parametrize(
    "value",
    [
        "requiredCharacteristicTypesForDisplay", "how-to-store-secrets-in-a-vault",
        "src/components/settings/AccountForm.tsx", "generate_session_identifier", "short1",
        "1234567.890", "2031-05-06T07:08:09", "three words here and more",
    ],
)  # fmt: skip
def test_words_and_numbers_are_not_random(value):
    assert not is_random(value)


@pytest.mark.parametrize(
    "value",
    [
        "your-api-key", "<token>", "${DB_PASSWORD}", "$TOKEN", "{{ secret }}", "xxxxxxxxxx",
        "changeme",
        "EXAMPLEKEY", "********", "sk-...", "process.env.KEY", 'os.environ["X"]', "null",
        "aaaaaaaa",
        "insert_key_here", "[REDACTED:jwt]", "%s", "Password", "my-secret-pw", "#{token}",
        "$(cat f)",
    ],
)  # fmt: skip
def test_placeholders(value):
    assert is_placeholder(value)


def test_code():
    assert is_code("settings.database.password")
    assert is_code("./path/to/file.txt")
    assert is_code("password=value.name")
    assert not is_code("k8Js7Hd6Gs5.Fa4Qw3Er2Ty")


@pytest.mark.parametrize(
    ("value", "quoted", "expected"),
    [
        ("hunter2", False, True),
        ("Tr0ub4dor&3", True, True),
        ("wint", True, False),
        ("Qwrtzxcv", True, True),
        ("Qwrtzxcv", False, False),
        ("required", True, False),
        ("wrong-password", True, False),
        ("proxy_auth", False, False),
        ("3600", True, False),
        ("x" * 300, True, False),
    ],
)
def test_passwords(value, quoted, expected):
    assert is_password(value, quoted=quoted) is expected
