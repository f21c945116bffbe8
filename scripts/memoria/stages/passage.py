"""A note or a log -> documents -> passages, each with a little of its neighbours: what is searched.

A passage alone often lacks the word that it is looked for by, which stands one line further up: in
windows that carry some of the neighbours, BM25 finds a sixth more (LoCoMo: recall@10 0.61 -> 0.71).
The trap: text outside of the session blocks of a log is a person's, and is to be found as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages import daily
from memoria.stages.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from memoria.stages.article import Article

# an answer to a question is two or three sentences: characters
_PASSAGE = 400
# what LoCoMo was measured with: characters of each neighbour
AROUND = 200


@dataclass(frozen=True, slots=True)
class Document:
    """What a hit names: an article, or an entry of a log (several documents then share `path`).

    `path` is relative to the vault, with ending; `sha` is the hash of that file. `kind` is the
    article's kind, or "entry". `date` is ISO: the entry's day, the article's last update, or "".
    """

    path: str
    sha: str
    title: str
    kind: str
    date: str
    projects: tuple[str, ...]
    tags: tuple[str, ...]
    text: str
    aliases: tuple[str, ...] = ()


def of_article(article: Article) -> Document:
    """Make an article the document that is searched."""
    text = [article.lead]
    text += [
        f"## {heading}\n{body}"
        for heading, body in article.sections
        if heading.strip() not in GENERATED
    ]
    dates = (article.meta.get(key) for key in ("updated", "created", "filed"))
    return Document(
        f"knowledge/{article.path}.md",
        article.sha,
        article.title,
        article.kind,
        next((str(found) for found in dates if found), ""),
        article.names("projects") or (article.names("scope") if article.kind == "rule" else ()),
        article.names("tags"),
        "\n\n".join(text),
        article.names("aliases"),
    )


def of_log(day: date, text: str, sha: str) -> Iterator[Document]:
    """Give the documents of a daily log: its entries."""
    for block in daily.blocks(text, day):
        entry = block.entry
        yield Document(
            f"daily/{day}.md",
            sha,
            entry.draft.title or f"Session of {day}",
            "entry",
            str(day),
            (entry.project,) if entry.project else (),
            (),
            _body(text[block.start : block.end]),
        )


def _body(block: str) -> str:
    lines = block.split("\n")[1:]
    return "\n".join(line for line in lines if not line.startswith("<!-- memoria "))


def passages(text: str) -> tuple[str, ...]:
    """Part a text into passages: neighbouring lines, together not much over what one reads."""
    found: list[str] = []
    for line in re.split(r"\n+", text):
        if not line.strip():
            continue
        if found and len(found[-1]) + len(line) < _PASSAGE:
            found[-1] += "\n" + line.rstrip()
        else:
            found.append(line.rstrip())
    return tuple(found)


def around(found: tuple[str, ...], at: int) -> str:
    """Give the end of the passage before, and the beginning of the one after."""
    before = found[at - 1][-AROUND:] if at else ""
    after = found[at + 1][:AROUND] if at + 1 < len(found) else ""
    return f"{before}\n{after}".strip()
