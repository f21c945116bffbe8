"""Turn texts into vectors of what they mean, by a model that an extra brings.

wordllama looks for its model in a folder of another name and then on the network, so it is told
where the model lies.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memoria import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float32]
    Embed = Callable[[Sequence[str]], Rows]

BACKENDS = ("token", "wordllama", "sentence-transformers", "openai")
# the extra that brings each package
_EXTRAS = {"wordllama": "wordllama", "sentence_transformers": "embeddings", "openai": "openai"}
# small models that are good at short texts: 90 MB, and two cents for a million words
_SENTENCE_MODEL, _OPENAI_MODEL = "all-MiniLM-L6-v2", "text-embedding-3-small"
# texts in one request: the service takes 2,048, and a batch that fails is asked for again
_BATCH = 256
_SECONDS = 60.0


def embed_texts(texts: Sequence[str], backend: str) -> Rows | None:
    """Give a row of length 1 for each text, None for "token", which needs no model.

    UsageError for an unknown backend, an extra that is not installed or a key that is not set,
    ModelError for a service that does not answer.
    """
    if backend == "token":
        return None
    if backend not in _MAKERS:
        names = ", ".join(BACKENDS)
        raise errors.UsageError(f"unknown embeddings {backend!r}: choose one of {names}")
    return _MAKERS[backend]()(texts)


def _load_wordllama() -> Embed:
    """Load static vectors of word pieces: 17,000 texts a second, and no network."""
    package = _import_package("wordllama")
    folder = Path(package.__file__).parent
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: _normalise_rows(model.embed(list(texts), norm=True))


def _load_sentence_transformers() -> Embed:
    """Load a small transformer; its weights are fetched once, by the package."""
    package = _import_package("sentence_transformers")
    try:
        model = package.SentenceTransformer(_SENTENCE_MODEL)
    except OSError as error:  # not on this disk, and not on the network
        reason = _format_error(error)
        raise errors.Unreachable(f"cannot load {_SENTENCE_MODEL}: {reason}") from error
    return lambda texts: _normalise_rows(model.encode(list(texts), show_progress_bar=False))


def _connect_openai() -> Embed:
    """Reach OpenAI's service, or one that speaks like it: key and address as its package does."""
    package = _import_package("openai")
    try:
        client = package.OpenAI(timeout=_SECONDS)
    except package.OpenAIError as error:
        raise errors.UsageError("openai needs a key: set OPENAI_API_KEY") from error

    def embed(texts: Sequence[str]) -> Rows:
        rows: list[Any] = []
        for at in range(0, len(texts), _BATCH):
            # the service refuses an empty text
            batch = [text if text.strip() else "-" for text in texts[at : at + _BATCH]]
            try:
                reply = client.embeddings.create(
                    model=_OPENAI_MODEL, input=batch, encoding_format="float"
                )
            except package.OpenAIError as error:
                raise errors.ModelError(f"openai: {_format_error(error)}") from error
            rows += [row.embedding for row in sorted(reply.data, key=lambda row: row.index)]
        return _normalise_rows(rows)

    return embed


_MAKERS: dict[str, Callable[[], Embed]] = {
    "wordllama": _load_wordllama,
    "sentence-transformers": _load_sentence_transformers,
    "openai": _connect_openai,
}


def _import_package(name: str) -> Any:  # noqa: ANN401 - a package of an extra, which may not be there
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise errors.UsageError(
            f"{name.replace('_', '-')} is not installed:"
            f" pip install 'memoria-compiler[{_EXTRAS[name]}]'"
        ) from error


def _format_error(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _normalise_rows(rows: Any) -> Rows:  # noqa: ANN401 - what a package of an extra gives
    """Bring rows to length 1; one without a length is near to nothing."""
    numbers = np.nan_to_num(np.asarray(rows, dtype=np.float32))
    lengths = np.linalg.norm(numbers, axis=1, keepdims=True)
    unit: Rows = np.divide(numbers, lengths, out=np.zeros_like(numbers), where=lengths > 0)
    return unit
