"""Pairs of rules from rule_families.txt, of which kind they are, and a model for tests."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).with_name("rule_families.txt")
KINDS = {
    "e": "easy",
    "m": "medium",
    "h": "hard",
    "n": "negation",
    "d": "name_number",
    "t": "same_topic",
    "q": "role",
}
SAME = frozenset({"easy", "medium", "hard"})


class Pair(NamedTuple):
    """A rule and another text, and whether the two are one rule."""

    one: str
    other: str
    same: bool
    kind: str


def pairs() -> list[Pair]:
    """Read the file."""
    found, rule = [], ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        kind, _, text = line.partition(": ")
        if kind == "b":
            rule = text
        elif kind in KINDS and text:
            found.append(Pair(rule, text, KINDS[kind] in SAME, KINDS[kind]))
    return found


SIZE = 256


def embed(texts):
    """Stand in for a model: a word is a vector of chance, a text the mean of its words."""
    rows = np.array([sum(map(word, text.lower().split()), np.zeros(SIZE)) for text in texts])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def word(text):
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
    return np.random.default_rng(seed).standard_normal(SIZE)
