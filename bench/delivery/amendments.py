"""Count right and wrong links between decisions: 41 amended ones, 205 near misses.

A near miss speaks of the same decision without changing it, or changes something else. All lie in
one project beside each other, so that each later text may be linked to any earlier decision. In
amendments.jsonl the later ones say that they amend, in changes.jsonl they do in ordinary words.

    python -m bench.delivery.amendments
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from bench.delivery.vaults import HERE  # puts the package on the path

from memoria.capture.conclusions import parse_message_sentences
from memoria.capture.subjects import says_amended
from memoria.search.index.passages import Document, HeardSubject, IndexedLine
from memoria.search.index.store import SearchIndex


def links(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Index all texts of a project, and give the pairs (earlier, later) that are linked."""
    documents = []
    for number, row in enumerate(rows):
        later = [
            ("amended", row["amended"]),
            *((f"near{at}", t) for at, t in enumerate(row["near"])),
        ]
        for kind, text in [("earlier", row["earlier"]), *later]:
            day = "2026-03-01" if kind == "earlier" else f"2026-04-{number + 1:02}"
            name = f"{row['name']}/{kind}"
            told = parse_message_sentences(text)
            lines = tuple(IndexedLine("conclusion", 3, "", said.text) for said in told)
            heard = HeardSubject(0, text, lines, amends=says_amended(text))
            page = f"daily/{day}-{kind}-{number}.md"
            documents.append(
                Document(page, name, "", "entry", day, ("shop",), (), "", link=name, heard=(heard,))
            )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search.sqlite"
        SearchIndex(path).sync_documents(documents)
        base = sqlite3.connect(path)
        query = """SELECT old.link, new.link FROM passage
            JOIN document AS old ON old.id = passage.document
            JOIN passage AS later ON later.id = passage.newer
            JOIN document AS new ON new.id = later.document"""
        pairs = base.execute(query).fetchall()
        base.close()
    return pairs


def main() -> None:
    """Print how many of the links are right, and how many of the amended ones are linked."""
    for file in ("amendments.jsonl", "changes.jsonl"):
        rows = [json.loads(line) for line in (HERE / file).read_text("utf-8").splitlines()]
        pairs = links(rows)
        right = [pair for pair in pairs if pair[1] == pair[0].replace("/earlier", "/amended")]
        wrong = [pair for pair in pairs if pair not in right]
        near = sum(len(row["near"]) for row in rows)
        print(
            f"{file}: {len(right)} of {len(rows)} linked; wrong: {len(wrong)} of {near} near misses"
        )
        for pair in wrong:
            print("wrong:", *pair)


if __name__ == "__main__":
    main()
