from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from memoria.agents.transcript import (
    AssistantText,
    Call,
    Compaction,
    Interrupt,
    Steer,
    Transcript,
    Turn,
)
from memoria.compile.patch import (
    ArticleChange,
    Patch,
    PatchLine,
    RelatedArticle,
    RuleProposal,
    Section,
)
from memoria.privacy.clean import clean_value, without_private
from memoria.rules.model import Refusal
from memoria.vault.entry import Draft, Entry, Extract, Fact, Statement
from memoria.vault.storage.ledger_records import Mistake, Resolution

AT = datetime(2026, 4, 1, 10, tzinfo=UTC)
# made up, and put together here so that nobody takes them for real ones
GITHUB = "ghp_" + "9f3KqLw8ZtR2" + "vXyB7nMcD4sHjP6u" + "E1aG5iTo"
SHAPELESS = "correct horse" + " battery 42"
UUID = "0f3a1c2e-1111-4222-8333-444455556666"
TOOL = "toolu_01" + "AbCdEfGhJkMnPqRsTuVwXy"

CALL = Call(TOOL, "Bash", (("command", "ls"),), "ok", is_error=False, answered=True, at=AT)
STEPS = (AssistantText("hi", AT), CALL, Steer("s", AT), Interrupt(AT), Compaction("c", AT))
TURN = Turn(UUID, AT, AT, "go", "main", STEPS)
TRANSCRIPT = Transcript(
    UUID, "/home/ana", "title", (TURN,), 0, 9, ("https://x/1",), (CALL,), (("reason", 1),),
)  # fmt: skip
DRAFT = Draft("t", "c", ("q",), ("d",), ("l",), ("a",))
SAID = Statement("t", "q", "workflow", standing=True, score=3.0)
FACT = Fact("lesson", "t", "user", 1.0, 0)
EXTRACT = Extract(DRAFT, (FACT,), (SAID,), "b", ("f",), (("c", True),), ("s",))
NOUNS = [
    TRANSCRIPT,
    DRAFT,
    EXTRACT,
    Entry("e-0123456789ab", date(2026, 4, 1), AT, "p", UUID, "claude", DRAFT),
    Mistake("sig", "Bash", "exit", "line", TOOL, 0, AT, Resolution("edit", "change", AT)),
    Patch(
        (
            ArticleChange(
                "concept", "s", "t", "l", (Section("h", "p", (PatchLine("t", "e"),)),), ("e",),
                ("a",), ("t",), (RelatedArticle("t", "w"),), ("c",), "k",
            ),
        ),
        (RuleProposal("t", "workflow", "q", "e"),),
    ),
    Refusal("part", "reason"),
    (["list", ("tuple",)], {"key": "value"}),
]  # fmt: skip


def texts(value, where=""):
    """Yield the way to every text of a value, with the text."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from texts(item, f"{where}[{number}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(key, f"{where}(key)")
            yield from texts(item, f"{where}[{key!r}]")
    elif is_dataclass(value):
        for field in fields(value):
            yield from texts(getattr(value, field.name), f"{where}.{field.name}")


def filled(value, text):
    """Put a text in the place of every text of a value."""
    if isinstance(value, str):
        return text
    if isinstance(value, tuple | list):
        return type(value)(filled(item, text) for item in value)
    if isinstance(value, dict):
        return {filled(key, text): filled(item, text) for key, item in value.items()}
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        return replace(value, **{name: filled(getattr(value, name), text) for name in names})
    return value


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: type(noun).__name__)
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (GITHUB, GITHUB),
        (f"export TOKEN={GITHUB} && ls", GITHUB),
        (f"it is {SHAPELESS}, they said", SHAPELESS),
        (f"\x1b[32m{GITHUB[:9]}\u200b{GITHUB[9:]}\x1b[0m", GITHUB),
    ],
    ids=["alone", "in a command", "known by its value", "behind hidden characters"],
)
def test_no_secret_survives_in_any_field(noun, text, secret):
    value = filled(noun, text)
    found = dict(texts(clean_value(value, [SHAPELESS])))
    assert found.keys() == dict(texts(value)).keys() or isinstance(noun, tuple)
    assert [where for where, left in found.items() if secret in left] == []
    assert [where for where, left in found.items() if "\u200b" in left or "\x1b" in left] == []
    assert all("[REDACTED:" in left for left in found.values())


def hidden(text):
    found = without_private(filled(TRANSCRIPT, text))
    kept = {left for _, left in texts(found)}
    assert len(kept) == 1, "every text is treated alike"
    return kept.pop()


@given(st.lists(st.sampled_from(["<private>", "</private>", "x", "<", "private>"]), max_size=10))
def test_nothing_within_a_span_is_ever_kept(parts):
    left = hidden("".join(parts) + "<private>secret</private>") if parts else ""
    assert "secret" not in left
    opened = hidden("".join(["<private>", *parts, "secret"]))
    closed = parts.count("</private>") > parts.count("<private>")
    assert "secret" not in opened or closed


def test_many_openings_stay_fast():
    assert hidden("<private" * 20_000) == "<private" * 20_000
    assert hidden("<private>" * 5_000 + "x") == ""


def test_ids_stay_however_random_they_look():
    transcript = clean_value(TRANSCRIPT)
    assert transcript.session == UUID
    assert transcript.turns[0].uuid == UUID
    assert transcript.turns[0].calls[0].id == TOOL


class Pair(NamedTuple):
    left: str
    right: str


def test_texts_are_cleaned_in_whatever_holds_them():
    secret = "ghp_" + "a1B2" * 9
    for noun in (Pair(secret, "x"), {secret}, frozenset({secret}), [{"key": (secret,)}]):
        cleaned = clean_value(noun)
        assert type(cleaned) is type(noun)
        assert secret not in repr(cleaned)
        assert "[REDACTED:" in repr(cleaned)
