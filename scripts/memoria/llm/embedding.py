"""Turn texts into vectors of what they mean, by a model that an extra brings.

Four backends: token (none: the words decide), wordllama (its model lies in its wheel, no network),
sentence-transformers and openai. A vector is kept by the hash of its text, so a day's new rules are
all that is asked for. wordllama looks for its model in a folder of another name and then on the
network, so it is told where the model lies.
"""

from __future__ import annotations

import hashlib
import importlib
import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from zipfile import BadZipFile

import numpy as np

from memoria import errors
from memoria.vault.storage import disk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
_NAME = "embeddings.npz"


class Embedder(Protocol):
    """A model that turns texts into vectors; `name` tells it from others, in the cache too."""

    name: str

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give a vector of length 1 for each text, one row each."""
        ...


def embedded(texts: Sequence[str], backend: str, folder: Path | None = None) -> Rows | None:
    """Give a row of length 1 for each text, None for "token", which needs no model.

    Vectors are kept in `folder` (the state folder). UsageError for an unknown backend, an extra
    that is not installed or a key that is not set, ModelError for a service that does not answer.
    """
    if backend == "token":
        return None
    model = embedder(backend)
    return cached(model, texts, folder / _NAME) if folder else model.embed(texts)


def embedder(backend: str) -> Embedder:
    """Make the model of a backend; UsageError says what is missing."""
    makers: dict[str, Callable[[], Embedder]] = {
        "wordllama": WordLlama,
        "sentence-transformers": SentenceTransformers,
        "openai": OpenAi,
    }
    if backend not in makers:
        raise errors.UsageError(
            f"unknown embeddings {backend!r}: choose one of {', '.join(BACKENDS)}"
        )
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

    name = f"sentence-transformers/{_SENTENCE_MODEL}"

    def __init__(self) -> None:
        package = _package("sentence_transformers")
        try:
            self._model = package.SentenceTransformer(_SENTENCE_MODEL)
        except OSError as error:  # not on this disk, and not on the network
            raise errors.Unreachable(f"cannot load {self.name}: {_line(error)}") from error

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give the vectors."""
        options = {
            "normalize_embeddings": True,
            "convert_to_numpy": True,
            "show_progress_bar": False,
        }
        return _unit(self._model.encode(list(texts), **options)) if texts else _none()


class OpenAi:
    """OpenAI's service, or one that speaks like it: key and address as its package finds them."""

    name = f"openai/{_OPENAI_MODEL}"

    def __init__(self) -> None:
        self._package = _package("openai")
        try:
            self._client = self._package.OpenAI(timeout=_SECONDS)
        except self._package.OpenAIError as error:
            raise errors.UsageError("openai needs a key: set OPENAI_API_KEY") from error

    def embed(self, texts: Sequence[str]) -> Rows:
        """Give the vectors, batch by batch."""
        rows = [self._batch(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        return np.concatenate(rows) if rows else _none()

    def _batch(self, texts: Sequence[str]) -> Rows:
        # the service refuses an empty text
        asked = [text if text.strip() else "-" for text in texts]
        try:
            reply = self._client.embeddings.create(
                model=_OPENAI_MODEL, input=asked, encoding_format="float"
            )
        except self._package.OpenAIError as error:
            raise _fault(error, self._package) from error
        return _unit([row.embedding for row in sorted(reply.data, key=lambda row: row.index)])


def cached(model: Embedder, texts: Sequence[str], path: Path) -> Rows:
    """Give the vectors of texts; what was asked for once is not asked for again.

    The file has the vectors of one model. One that cannot be used costs nothing but time.
    """
    keys = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]
    held = _held(path, model.name)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
    if new:
        held |= dict(zip(new, model.embed(list(new.values())), strict=True))
        file, rows = io.BytesIO(), np.stack(list(held.values())).astype(np.float32)
        np.savez(file, model=np.array(model.name), keys=np.array(list(held)), rows=rows)
        disk.replace(disk.folder(path.parent) / path.name, file.getvalue())
    return np.stack([held[key] for key in keys]) if keys else _none()


def _held(path: Path, model: str) -> dict[str, Rows]:
    try:
        with np.load(io.BytesIO(disk.read(path) or b""), allow_pickle=False) as file:
            rows = dict(zip(file["keys"].tolist(), file["rows"], strict=True))
            return rows if str(file["model"]) == model else {}
    except (BadZipFile, EOFError, KeyError, ValueError):
        return {}


@cache
def wordllama() -> Callable[..., Any]:
    """Load wordllama's model and give its function `embed`; UsageError without the extra."""
    package = _package("wordllama")
    folder = Path(package.__file__).parent
    embed: Callable[..., Any] = package.WordLlama.load(
        cache_dir=folder, disable_download=True
    ).embed
    return embed


def _package(name: str) -> Any:  # noqa: ANN401 - a package of an extra, which may not be there
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise errors.UsageError(
            f"{name.replace('_', '-')} is not installed:"
            f" pip install 'memoria-compiler[{_EXTRAS[name]}]'"
        ) from error


def _fault(error: Exception, package: Any) -> errors.MemoriaError:  # noqa: ANN401 - as above
    """Say whose fault it is that the service gave no vectors."""
    is_spent = getattr(error, "code", None) == "insufficient_quota"
    kinds = (
        (package.AuthenticationError, errors.NotLoggedIn),
        (package.PermissionDeniedError, errors.NotLoggedIn),
        (package.RateLimitError, errors.OutOfCredit if is_spent else errors.RateLimited),
        (package.APIConnectionError, errors.Unreachable),
        (package.InternalServerError, errors.Overloaded),
    )
    kind = next((kind for theirs, kind in kinds if isinstance(error, theirs)), errors.ModelError)
    return kind(f"openai: {_line(error)}")


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
