"""Turn texts into vectors of what they mean, by a model that an extra brings.

Four backends behind one protocol: token (none: the words decide), wordllama (its model lies in its
wheel, no network), sentence-transformers and openai. A vector is kept by model and hash of the
text, so a day's new rules are all that is asked for. wordllama looks for its model in a folder of
another name and then on the network, so it is told where the model lies.
"""

from __future__ import annotations

import hashlib
import importlib
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memoria.errors import (
    MemoriaError,
    ModelError,
    NotLoggedIn,
    OutOfCredit,
    Overloaded,
    RateLimited,
    Unreachable,
    UsageError,
)
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

BACKENDS = ("token", "wordllama", "sentence-transformers", "openai")
# the extra that brings each package
_EXTRAS = {
    "wordllama": "wordllama",
    "sentence_transformers": "embeddings",
    "openai": "openai",
}
# small models that are good at short texts: 90 MB, and two cents for a million words
_SENTENCE_MODEL, _OPENAI_MODEL = "all-MiniLM-L6-v2", "text-embedding-3-small"
# texts in one request: the service takes 2,048, and a batch that fails is asked for again
_BATCH = 256
_SECONDS = 60.0
# variables of one statement that every SQLite takes
_SELECT = 500
_NAME = "embeddings.sqlite"


class Embedder(Protocol):
    """A model that turns texts into vectors; `name` tells it from others, in the cache too."""

    @property
    def name(self) -> str:
        """Name the backend and its model."""
        ...

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give a vector of length 1 for each text, one row each."""
        ...


def embedded(texts: Sequence[str], backend: str, folder: Path | None = None) -> Rows | None:
    """Give a row of length 1 for each text, None for "token", which needs no model.

    Vectors are kept in `folder` (the state folder). UsageError for an unknown backend, an extra
    that is not installed or a key that is not set, ModelError for a service that does not answer.
    """
    model = embedder(backend)
    if model is None:
        return None
    return (Cached(model, folder / _NAME) if folder else model).embed(texts)


def embedder(backend: str) -> Embedder | None:
    """Make the model of a backend; UsageError says what is missing."""
    if backend == "token":
        return None
    makers: dict[str, Callable[[], Embedder]] = {
        "wordllama": WordLlama,
        "sentence-transformers": SentenceTransformers,
        "openai": OpenAi,
    }
    if backend not in makers:
        raise UsageError(f"unknown embeddings {backend!r}: choose one of {', '.join(BACKENDS)}")
    return makers[backend]()


class WordLlama:
    """Static vectors of word pieces: 17,000 texts a second, and no network."""

    name = "wordllama/l2_supercat_256"

    def __init__(self) -> None:
        self._embed = wordllama()

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give the vectors."""
        return _unit(self._embed(list(texts), norm=True)) if texts else _none()


class SentenceTransformers:
    """A small transformer on this machine; its weights are fetched once, by the package."""

    def __init__(self, model: str = _SENTENCE_MODEL) -> None:
        package = _package("sentence_transformers")
        self.name = f"sentence-transformers/{model}"
        try:
            self._model = package.SentenceTransformer(model)
        except OSError as error:  # not on this disk, and not on the network
            raise Unreachable(f"cannot load {self.name}: {_line(error)}") from error

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give the vectors."""
        if not texts:
            return _none()
        return _unit(
            self._model.encode(
                list(texts),
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        )


class OpenAi:
    """OpenAI's service, or one that speaks like it: key and address as its package finds them."""

    def __init__(self, model: str = _OPENAI_MODEL) -> None:
        self._package = _package("openai")
        self._model = model
        self.name = f"openai/{model}"
        try:
            self._client = self._package.OpenAI(timeout=_SECONDS)
        except self._package.OpenAIError as error:
            raise UsageError("openai needs a key: set OPENAI_API_KEY") from error

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give the vectors, batch by batch."""
        rows = [self._batch(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        return np.concatenate(rows) if rows else _none()

    def _batch(self, texts: Sequence[str]) -> Rows:
        # the service refuses an empty text
        asked = [text if text.strip() else "-" for text in texts]
        try:
            reply = self._client.embeddings.create(
                model=self._model, input=asked, encoding_format="float"
            )
        except self._package.OpenAIError as error:
            raise _fault(error, self._package) from error
        ordered = sorted(reply.data, key=lambda item: item.index)
        return _unit([item.embedding for item in ordered])


class Cached:
    """A model behind a file of vectors: what was asked for once is not asked for again."""

    def __init__(self, model: Embedder, path: Path) -> None:
        self._model = model
        self._path = path
        self.name = model.name

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give the vectors; a file that cannot be used costs nothing but time."""
        keys = [hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts]
        held = self._held(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        if new:
            made = dict(zip(new, self._model.embed(list(new.values())), strict=True))
            held |= made
            self._keep(made)
        return np.stack([held[key] for key in keys]) if keys else _none()

    def _held(self, keys: Sequence[bytes]) -> dict[bytes, Rows]:
        try:
            with closing(self._open()) as base:
                return {
                    key: np.frombuffer(vector, np.float32)
                    for at in range(0, len(keys), _SELECT)
                    for key, vector in self._select(base, keys[at : at + _SELECT])
                }
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            return {}

    def _select(
        self, base: sqlite3.Connection, keys: Sequence[bytes]
    ) -> Iterator[tuple[bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, vector FROM vector WHERE model = ? AND key IN ({marks})"  # noqa: S608 - question marks alone
        yield from base.execute(query, (self.name, *keys))

    def _keep(self, made: dict[bytes, Rows]) -> None:
        rows = [
            (self.name, key, vector.astype(np.float32).tobytes()) for key, vector in made.items()
        ]
        try:
            with closing(self._open()) as base, base:
                base.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            disk.write(disk.folder(self._path.parent) / self._path.name, b"")  # ours alone to read
        base = sqlite3.connect(self._path)
        base.execute(
            "CREATE TABLE IF NOT EXISTS vector"
            " (model TEXT, key BLOB, vector BLOB, PRIMARY KEY (model, key)) WITHOUT ROWID"
        )
        return base


@cache
def wordllama() -> Callable[..., Any]:
    """Load wordllama's model and give its function `embed`; UsageError without the extra."""
    package = _package("wordllama")
    folder = Path(package.__file__).parent
    loaded = package.WordLlama.load(cache_dir=folder, disable_download=True)
    embed: Callable[..., Any] = loaded.embed
    return embed


def _package(name: str) -> Any:  # noqa: ANN401 - a package of an extra, which may not be there
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            f"{name.replace('_', '-')} is not installed:"
            f" pip install 'memoria-compiler[{_EXTRAS[name]}]'"
        ) from error


def _fault(error: Exception, package: Any) -> MemoriaError:  # noqa: ANN401 - as above
    """Say whose fault it is that the service gave no vectors."""
    line = f"openai: {_line(error)}"
    if isinstance(error, package.AuthenticationError | package.PermissionDeniedError):
        return NotLoggedIn(line)
    if isinstance(error, package.RateLimitError):
        spent = getattr(error, "code", None) == "insufficient_quota"
        return OutOfCredit(line) if spent else RateLimited(line)
    if isinstance(error, package.APIConnectionError):
        return Unreachable(line)
    if isinstance(error, package.InternalServerError):
        return Overloaded(line)
    return ModelError(line)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _unit(rows: Any) -> Rows:  # noqa: ANN401 - what a package of an extra gives
    """Bring rows to length 1; one without a length is near to nothing."""
    numbers = np.nan_to_num(np.asarray(rows, dtype=np.float32))
    lengths = np.linalg.norm(numbers, axis=1, keepdims=True)
    unit: Rows = np.divide(numbers, lengths, out=np.zeros_like(numbers), where=lengths > 0)
    return unit


def _none() -> Rows:
    return np.zeros((0, 0), dtype=np.float32)
