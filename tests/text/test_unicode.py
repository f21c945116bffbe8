import unicodedata

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.text.unicode import is_disguised, strip_hidden

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
HEART = "\u2764\ufe0f\u200d\U0001f525"


@cased(ENGLAND, FAMILY, HEART)
def test_what_scripts_need_stays(text):
    assert strip_hidden(text) == text


@cased()
def test_what_nobody_sees_goes(text, expected):
    assert strip_hidden(text) == expected


@given(
    st.text(max_size=60)
    | st.text(alphabet=ENGLAND + HEART + "a\x1b[m\r\n\u200c\u0645", max_size=20)
)
def test_strip_hidden_is_idempotent_and_leaves_no_control(text):
    once = strip_hidden(text)
    assert strip_hidden(once) == once
    assert not {c for c in once if unicodedata.category(c) == "Cc"} - {"\n", "\t"}


PLAIN = [
    "Use pnpm, never npm.",
    "Всегда используй pnpm, но не npm.",
    "Keep timeouts below 10 \u00b5s; \u0394t and \u03bb are fine.",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0627\u0632 pnpm",
    "Never use \U0001f469\u200d\U0001f469\u200d\U0001f467 or \u2764\ufe0f in titles.",
    f"Flags: \U0001f1ee\U0001f1f7, {ENGLAND}.",
    "\u6211\u4eec\u4ee5\u540e\u90fd\u7528 pnpm\uff0c\u4e0d\u8981\u7528 npm",
    "\uff21\uff30\uff29 \u3092\u4f7f\u3046",
    "Na\u00efve caf\u00e9s in Stra\u00dfe.",
    "The temperature is 5 \u2103, item \u2116 7.",
]
DISGUISED = [
    "\u0410lways sign",
    "Sign \u0440\u0430\u0443\u0440\u0430l requests",
    "Run \u0441\u043e\u0440\u0443 first",
    "\u0397old the lock",
    "Sign\u200b it",
    "Sign \u202eit",
    "Sign it\U000e0061\U000e0062",
    "Sign \x1b[8mit\x1b[0m",
    "\U0001d5d4lways sign",
    "\U0001d5ee\U0001d5f9\U0001f4a1",
    "k\u0435y",
    "S\u0301\u0302\u0303\u0304ign it",
    "\N{THUMBS UP SIGN}\U000e0163\U000e0164",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_people_write_is_no_disguise(text):
    assert not is_disguised(text)


@given(st.text(alphabet="abc XYZ 012 .,`-_/'", max_size=60), st.sampled_from(DISGUISED))
def test_a_disguise_is_seen_among_other_words(text, disguise):
    assert not is_disguised(text)
    assert is_disguised(f"{text} {disguise} {text}")


@given(st.text(max_size=100))
def test_what_hides_is_a_disguise(text):
    if strip_hidden(text) != text:
        assert is_disguised(text)
