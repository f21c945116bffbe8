"""Search beside bm25s, windowed and not -> recall, latency, build and size as ratios in one run.

Two kinds of text. Made-up vaults of 1,000 to 100,000 passages: an article names its subject here
and there, a passage holds facts of its own, and a question names both, so that the subject often
stands in a neighbour of the passage that answers. And documentation: the docstrings of the Python
packages of this machine, each asked for by the first words of its first sentence, which is taken
out of it. bm25s gets the same passages, stemmed and without stop words, a document counts by its
best one, as here; both are asked with their index in memory, and as a new process finds it.

    pip install -e '.[bench]'
    python bench/search.py [--most 100000] [--questions 400] [--docs]
"""

from __future__ import annotations

import argparse
import ast
import importlib
import logging
import random
import statistics
import sys
import sysconfig
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from memoria.search.index.passages import Document, split_passages
from memoria.search.index.store import FileContent, SearchIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SEED = 20261122
STEPS = (1_000, 3_000, 10_000, 30_000, 100_000)
SENTENCES = 4  # of a paragraph, some 280 characters
PARAGRAPHS = 8  # of an article: some 2,300 characters
# what a document is called and found by among the first
FIRST = (1, 5, 10, 20)
# passages of bm25s that are looked at for so many documents: several are of one document
DEPTH = 60
FUNCTION = "the of to and a in is it that for on with as was by be this are from at or not".split()  # noqa: SIM905 - a list of words is read as text
ENDINGS = ("", "s", "ing", "ed")


class Question(NamedTuple):
    """A query, and the path of the document that it is about."""

    text: str
    path: str


class Run(NamedTuple):
    """What a system did: the share of questions whose document is among the first N, and times."""

    recall: dict[int, float]
    milliseconds: list[float]

    @property
    def median(self) -> float:
        """Give the middle time of a question in ms."""
        return statistics.median(self.milliseconds)

    @property
    def slow(self) -> float:
        """Give the time in ms that one question of twenty exceeds."""
        return sorted(self.milliseconds)[len(self.milliseconds) * 95 // 100]


class Writer:
    """Makes articles up: words by a law of Zipf, subjects, facts."""

    def __init__(self, rng: random.Random, documents: int) -> None:
        """Invent the words; a fact's word stands in some eight passages, a subject's in two."""
        self._rng = rng
        self._words = [self._word(2, 3) for _ in range(8_000)]
        self._weights = [1 / (rank + 8) for rank in range(len(self._words))]
        self._facts = [self._word(3, 4) for _ in range(documents * PARAGRAPHS // 4)]
        self._subjects = [self._word(3, 4) for _ in range(max(20, documents // 2))]

    def article(self, number: int) -> tuple[Document, Question]:
        """Make an article, and a question about one of its paragraphs."""
        rng = self._rng
        subjects = rng.sample(self._subjects, 2)
        facts = [rng.sample(self._facts, 2) for _ in range(PARAGRAPHS)]
        # named at first, then in every third paragraph
        named = [at == 0 or rng.random() < 1 / 3 for at in range(PARAGRAPHS)]
        texts = [
            self._paragraph([*facts[at], *(subjects if named[at] else [])])
            for at in range(PARAGRAPHS)
        ]
        at = rng.randrange(PARAGRAPHS)
        asked = [rng.choice(facts[at]), rng.choice(subjects), *self._common(2), *self._common(1)]
        words = [*(word + rng.choice(ENDINGS) for word in asked), *rng.sample(FUNCTION, 3)]
        rng.shuffle(words)
        path = f"knowledge/concepts/note-{number:06}.md"
        body = "\n".join(texts)
        found = Document(path, str(number), f"Note {number}", "concept", "", (), (), body)
        return found, Question(" ".join(words), path)

    def _paragraph(self, own: list[str]) -> str:
        rng = self._rng
        words = [
            word + (rng.choice(ENDINGS) if rng.random() < 1 / 3 else "")
            for word in [*own, *self._common(SENTENCES * 6)]
        ]
        words += rng.choices(FUNCTION, k=SENTENCES * 5)
        rng.shuffle(words)
        size = len(words) // SENTENCES
        parts = (" ".join(words[at : at + size]) for at in range(0, len(words), size))
        return "- " + " ".join(f"{part.capitalize()}." for part in parts)

    def _common(self, count: int) -> list[str]:
        return self._rng.choices(self._words, self._weights, k=count)

    def _word(self, least: int, most: int) -> str:
        rng = self._rng
        return "".join(
            rng.choice("bcdfgklmnprstvz") + rng.choice("aeiou") + rng.choice(["", "n", "r", "l"])
            for _ in range(rng.randint(least, most))
        )


def made_up(count: int, questions: int) -> tuple[list[Document], list[Question]]:
    """Make articles with so many passages, and questions about some of them."""
    rng = random.Random(SEED)
    per_article = 6  # passages that come out of its paragraphs
    writer = Writer(rng, count // per_article)
    pairs: list[tuple[Document, Question]] = []
    held = 0
    while held < count:
        pairs.append(writer.article(len(pairs)))
        held += len(split_passages(pairs[-1][0].text))
    asked = rng.sample(pairs, min(questions, len(pairs)))
    return [document for document, _ in pairs], [question for _, question in asked]


def documentation(count: int, questions: int) -> tuple[list[Document], list[Question]]:
    """Take docstrings of this Python and its packages, and ask for some by what they began with."""
    rng = random.Random(SEED)
    documents: list[Document] = []
    asked: list[Question] = []
    held = 0
    for first, rest in docstrings(rng):
        path = f"knowledge/concepts/doc-{len(documents):06}.md"
        documents.append(Document(path, path, "", "concept", "", (), (), rest))
        held += len(split_passages(rest))
        words = first.split()
        if len(rest) > 200 and len(words) >= 5:
            asked.append(Question(" ".join(words[: rng.randint(4, 10)]), path))
        if held >= count:
            break
    return documents, rng.sample(asked, min(questions, len(asked)))


def docstrings(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield docstrings, each once, parted behind their first paragraph."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
    files = sorted({path for folder in folders for path in Path(folder).rglob("*.py")})
    rng.shuffle(files)
    seen = set()
    for path in files:
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                first, gap, rest = (ast.get_docstring(node) or "").partition("\n\n")
                if gap and rest.isascii() and rest not in seen:
                    seen.add(rest)
                    yield " ".join(first.split()), rest


def asked(questions: Sequence[Question], find: Callable[[str], Sequence[str]]) -> Run:
    """Put the questions, and see where the documents that they are about stand in the answers."""
    times, ranks = [], []
    for text, path in questions:
        begin = time.perf_counter()
        found = list(find(text))
        times.append((time.perf_counter() - begin) * 1000)
        ranks.append(found.index(path) if path in found else max(FIRST))
    return Run({first: sum(rank < first for rank in ranks) / len(ranks) for first in FIRST}, times)


class Ours:
    """The index of Memoria."""

    def __init__(self, folder: Path, documents: Sequence[Document]) -> None:
        """Build it."""
        self._path = folder / "search.sqlite"
        self._path.unlink(missing_ok=True)
        self._index = SearchIndex(self._path)
        self._documents = {document.path: document for document in documents}
        self.seconds = self._update(1) / 1000
        self.size = self._path.stat().st_size

    def find(self, text: str) -> list[str]:
        """Give the paths of the documents that are found."""
        return [hit.path for hit in self._index.find(text, limit=max(FIRST))]

    def edited(self) -> float:
        """Edit an article, and give the ms that the index needs to know it."""
        path = next(iter(self._documents))
        old = self._documents[path]
        self._documents[path] = replace(old, sha="new", text=f"{old.text}\nOne more line.")
        return self._update(2, path)

    def _update(self, stamp: int, changed: str = "") -> float:
        files = {path: (stamp if path == changed else 1, 1, 1) for path in self._documents}
        begin = time.perf_counter()
        self._index.sync_files(files, self._read)
        return (time.perf_counter() - begin) * 1000

    def _read(self, path: str) -> FileContent:
        return FileContent(self._documents[path].sha, (self._documents[path],))


_AROUND = 300  # characters of the neighbours of a passage that stand in its window


def windows(found: tuple[str, ...]) -> Iterator[str]:
    """Give each passage with the ends of its neighbours, as others index documents."""
    for at, passage in enumerate(found):
        before = found[at - 1][-_AROUND:] if at else ""
        after = found[at + 1][:_AROUND] if at + 1 < len(found) else ""
        yield f"{before}\n{passage}\n{after}"


class Other:
    """The index of bm25s over windows or over passages alone."""

    def __init__(self, documents: Sequence[Document], *, windowed: bool) -> None:
        """Build it."""
        self._bm25s: Any = importlib.import_module("bm25s")
        self._stemmer: Any = importlib.import_module("Stemmer").Stemmer("english")
        self._paths: list[str] = []
        texts: list[str] = []
        begin = time.perf_counter()
        for document in documents:
            found = split_passages(document.text) or ("",)
            texts += windows(found) if windowed else found
            self._paths += [document.path] * len(found)
        self._index: Any = self._bm25s.BM25()
        self._index.index(self._tokens(texts), show_progress=False)
        self.seconds = time.perf_counter() - begin

    def find(self, text: str) -> list[str]:
        """Give the paths of the documents that are found."""
        depth = min(DEPTH, len(self._paths))
        rows, _ = self._index.retrieve(self._tokens([text]), k=depth, show_progress=False)
        return list(dict.fromkeys(self._paths[row] for row in rows[0]))[: max(FIRST)]

    def first(self, folder: Path, question: Question) -> float:
        """Time a new process's first question in ms: the saved index is loaded, then asked."""
        self._index.save(folder / "bm25s", show_progress=False)
        begin = time.perf_counter()
        self._index = self._bm25s.BM25.load(folder / "bm25s", mmap=True)
        self.find(question.text)
        return (time.perf_counter() - begin) * 1000

    def _tokens(self, texts: list[str]) -> Any:  # noqa: ANN401 - bm25s's own type
        return self._bm25s.tokenize(
            texts, stopwords="en", stemmer=self._stemmer, show_progress=False
        )


def growth(most: int, questions: int, folder: Path) -> None:
    """Print how build, size, recall and latency grow with a made-up vault, beside bm25s."""
    print(
        "Made-up vaults. build: seconds. edit: ms to take in one changed article. first: a new\n"
        "process's first question. x: the ratio to bm25s over windows. recall@10 of documents.\n"
    )
    print(
        f"{'passages':>9}{'size':>6}{'build':>7}{'x':>6}{'edit':>6}{'median':>8}{'x':>6}"
        f"{'p95 ms':>8}{'first':>7}{'x':>6}{'recall':>8}{'windowed':>10}{'alone':>7}"
    )
    for count in (step for step in STEPS if step <= most):
        documents, asking = made_up(count, questions)
        text = sum(len(document.text.encode()) for document in documents)
        ours = Ours(folder, documents)
        run = asked(asking, ours.find)
        other = Other(documents, windowed=True)
        beside = asked(asking, other.find)
        loaded = other.first(folder, asking[0])
        alone = asked(asking, Other(documents, windowed=False).find)
        first = run.milliseconds[0]
        print(
            f"{count:9}{ours.size / text:6.2f}{ours.seconds:7.1f}"
            f"{ours.seconds / other.seconds:6.2f}{ours.edited():6.0f}{run.median:8.1f}"
            f"{run.median / beside.median:6.2f}{run.slow:8.1f}{first:7.1f}{first / loaded:6.2f}"
            f"{run.recall[10]:8.3f}{beside.recall[10]:10.3f}{alone.recall[10]:7.3f}",
            flush=True,
        )


def real(most: int, questions: int, folder: Path) -> None:
    """Print recall and latency on documentation."""
    documents, asking = documentation(most, questions)
    count = sum(len(split_passages(document.text)) for document in documents)
    text = sum(len(document.text.encode()) for document in documents)
    ours = Ours(folder, documents)
    print(
        f"\nDocumentation: {len(documents)} docstrings, {count} passages, {len(asking)} questions; "
        f"index {ours.size / text:.2f} of the text.\n"
    )
    print(f"{'':22}{''.join(f'recall@{first:<4}' for first in FIRST)}{'median':>8}{'p95 ms':>8}")
    systems: dict[str, Callable[[str], Sequence[str]]] = {"memoria": ours.find}
    systems["bm25s, windowed"] = Other(documents, windowed=True).find
    systems["bm25s, alone"] = Other(documents, windowed=False).find
    for name, find in systems.items():
        run = asked(asking, find)
        shares = "".join(f"{run.recall[first]:<11.3f}" for first in FIRST)
        print(f"{name:22}{shares}{run.median:8.1f}{run.slow:8.1f}", flush=True)


def main() -> None:
    """Measure both kinds of text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--most", type=int, default=STEPS[-1], help="passages of the largest vault")
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--docs", action="store_true", help="measure documentation alone")
    options = parser.parse_args()
    logging.disable()  # bm25s tells what it does
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not options.docs:
            growth(options.most, options.questions, folder)
        real(options.most, options.questions, folder)


if __name__ == "__main__":
    main()
