"""Notes -> those that are there twice: copies by a sync client, shared names, nearly the same text.

A copy that a sync client made is told of once, as what it is: it would else be a duplicate, an
orphan and a stray as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.lint.finding import Flaw
from memoria.lint.link_targets import folded
from memoria.lint.note import inner
from memoria.text.near_duplicates import alike
from memoria.vault.storage.sync_clients import copies

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.lint.note import Note

__all__ = ["copies", "flaws"]


def flaws(notes: Sequence[Note], copied: dict[str, str]) -> Iterator[Flaw]:
    """Check for copies and for articles that share a name or their text."""
    for path, original in copied.items():
        message = f"a sync client's copy of {original}: merge them by hand and delete it"
        yield Flaw("sync-conflicts", "warning", path, 1, message)
    own = [note for note in notes if note.kind and note.path not in copied]
    yield from _namesakes(own)
    yield from _likenesses([note for note in own if note.kind != "rule"])


def _namesakes(notes: Sequence[Note]) -> Iterator[Flaw]:
    """Tell of a title or alias at all notes but the first that has it; titles come before."""
    owners: dict[str, str] = {}
    for note in notes:
        owners.setdefault(folded(note.title), note.path)
    for note in notes:
        names = dict.fromkeys(map(folded, (note.title, *note.aliases)))
        told: set[str] = set()
        for name in names:
            owner = owners.setdefault(name, note.path)
            if owner not in {note.path, *told}:
                told.add(owner)
                what = "the title" if name == folded(note.title) else "the alias"
                message = f"{what} {name!r} is also a name of {inner(owner)}"
                yield Flaw("duplicate-names", "warning", note.path, 1, message)


def _likenesses(notes: Sequence[Note]) -> Iterator[Flaw]:
    drawn = [note for note in notes if note.sketch]
    told: set[int] = set()
    for pair in alike([note.sketch for note in drawn]):
        if pair.other not in told:
            told.add(pair.other)
            one, other = drawn[pair.one], drawn[pair.other]
            message = f"about {pair.share:.0%} the same as {inner(one.path)}: merge them"
            yield Flaw("near-duplicates", "warning", other.path, 1, message)
