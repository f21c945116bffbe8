import random
import string

import pytest
from cases import cased

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


@cased()
def test_words_and_numbers_are_not_random(value):
    assert not is_random(value)


@cased()
def test_placeholders(value):
    assert is_placeholder(value)


def test_code():
    assert is_code("settings.database.password")
    assert is_code("./path/to/file.txt")
    assert is_code("password=value.name")
    assert not is_code("k8Js7Hd6Gs5.Fa4Qw3Er2Ty")


@cased(("x" * 300, True, False))
def test_passwords(value, quoted, expected):
    assert is_password(value, quoted=quoted) is expected
