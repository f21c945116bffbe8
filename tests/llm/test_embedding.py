import json
import sys
import threading
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from memoria import errors
from memoria.errors import Unreachable, UsageError
from memoria.llm import embedding
from memoria.llm.embedding import cached, embedder
from memoria.rules.merge.groups import BACKGROUND
from memoria.rules.skills import vectors


class Letters:
    """A model for tests: counts of four letters; keeps what it was asked for."""

    name = "letters"

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        rows = np.array(
            [[text.count(letter) + 1 for letter in "aeio"] for text in texts], np.float32
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def without(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    embedding.wordllama.cache_clear()


@pytest.mark.parametrize(
    ("backend", "package", "extra"),
    [
        ("wordllama", "wordllama", "wordllama"),
        ("sentence-transformers", "sentence_transformers", "embeddings"),
        ("openai", "openai", "openai"),
    ],
)
def test_a_missing_extra_names_its_command(monkeypatch, backend, package, extra):
    without(monkeypatch, package)
    with pytest.raises(
        UsageError,
        match=rf"^{backend} is not installed: pip install 'memoria-compiler\[{extra}\]'$",
    ):
        embedder(backend)


def test_an_unknown_backend_is_refused():
    with pytest.raises(UsageError, match="token, wordllama, sentence-transformers, openai"):
        embedder("word2vec")


def test_the_token_backend_needs_no_model():
    assert vectors(["a"], "token") is None


# -- the cache -----------------------------------------------------------------------------------


def test_what_was_asked_for_once_is_not_asked_for_again(tmp_path):
    model = Letters()
    first = cached(model, ["one", "two", "one"], tmp_path / "state" / "v.npz")
    again = cached(model, ["two", "three"], tmp_path / "state" / "v.npz")
    assert model.asked == [["one", "two"], ["three"]]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[1], again[0])
    assert cached(model, [], tmp_path / "v.npz").shape == (0, 0)


def test_vectors_of_another_model_are_not_taken(tmp_path):
    model, other = Letters(), Letters()
    other.name = "more letters"
    for each in (model, other):
        cached(each, ["one"], tmp_path / "v.npz")
    assert other.asked == [["one"]]


def test_a_broken_cache_is_made_again(tmp_path):
    path = tmp_path / "v.npz"
    path.write_bytes(b"no database, but longer than a header of one would be" * 40)
    model = Letters()
    cached(model, ["one"], path)
    cached(model, ["one"], path)
    assert model.asked in ([["one"]], [["one"], ["one"]])
    cached(model, ["one"], path)
    assert len(model.asked) <= 2


def test_the_cache_is_private(tmp_path):
    path = tmp_path / "state" / "v.npz"
    cached(Letters(), ["one"], path)
    assert path.stat().st_mode & 0o077 == 0


# -- wordllama -----------------------------------------------------------------------------------


def test_wordllama_works_without_a_network(tmp_path):
    pytest.importorskip("wordllama")
    embedding.wordllama.cache_clear()
    found = vectors(["Run tests", "Execute the tests", "Peel potatoes", ""], "wordllama", tmp_path)
    assert found.background.shape[0] == len(BACKGROUND)
    assert found.texts[0] @ found.texts[1] > found.texts[0] @ found.texts[2]
    assert np.allclose(np.linalg.norm(found.texts[:3], axis=1), 1, atol=1e-5)


# -- sentence-transformers -----------------------------------------------------------------------


def test_sentence_transformers_by_its_interface(monkeypatch):
    class Model:
        def __init__(self, name):
            self.name = name

        def encode(self, texts, **options):
            assert options == {
                "normalize_embeddings": True,
                "convert_to_numpy": True,
                "show_progress_bar": False,
            }
            return np.array([[len(text), 0.0] for text in texts])

    package = types.SimpleNamespace(SentenceTransformer=Model)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    model = embedder("sentence-transformers")
    assert model.name == "sentence-transformers/all-MiniLM-L6-v2"
    assert model.embed(["abc", ""]).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert model.embed([]).shape == (0, 0)


def test_weights_that_cannot_be_loaded_are_told(monkeypatch):
    def load(name):
        raise OSError(f"no {name}\nanywhere")

    package = types.SimpleNamespace(SentenceTransformer=load)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    with pytest.raises(
        Unreachable, match=r"^cannot load sentence-transformers/all-MiniLM-L6-v2: no all"
    ):
        embedder("sentence-transformers")


# -- openai --------------------------------------------------------------------------------------


class Service(BaseHTTPRequestHandler):
    """The embeddings of OpenAI, as far as its package uses them; fails as it is told."""

    failure = None
    asked = ()  # a list, once the service runs

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append(body)
        if self.failure:
            status, code = self.failure
            return self._send(status, {"error": {"message": "told to\nfail", "code": code}})
        rows = [
            {"object": "embedding", "index": at, "embedding": [float(len(text)), 1.0]}
            for at, text in reversed(list(enumerate(body["input"])))
        ]
        return self._send(200, {"object": "list", "data": rows, "model": body["model"]})

    def _send(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def service(monkeypatch):
    pytest.importorskip("openai")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Service.asked, Service.failure = [], None
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "for-tests")
    for kind in ("http", "https", "all"):
        monkeypatch.delenv(f"{kind}_proxy", raising=False)
        monkeypatch.delenv(f"{kind.upper()}_PROXY", raising=False)
    yield Service
    server.shutdown()
    server.server_close()


def test_openai_is_asked_in_batches_and_answers_in_order(service):
    texts = ["a" * (1 + at % 7) for at in range(300)]
    found = embedder("openai").embed([*texts, " "])
    assert [len(body["input"]) for body in service.asked] == [256, 45]
    assert service.asked[0]["model"] == "text-embedding-3-small"
    assert service.asked[1]["input"][-1] == "-"
    assert np.allclose(found[2], np.array([3, 1]) / np.sqrt(10))
    assert embedder("openai").embed([]).shape == (0, 0)


def test_openai_without_a_key_says_what_to_set(monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="set OPENAI_API_KEY"):
        embedder("openai")


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        ((401, "invalid_api_key"), errors.NotLoggedIn),
        ((429, "insufficient_quota"), errors.OutOfCredit),
        ((429, "rate_limit_exceeded"), errors.RateLimited),
        ((503, "overloaded"), errors.Overloaded),
        ((400, "bad_request"), errors.ModelError),
    ],
)
def test_the_service_s_failures_are_named(service, monkeypatch, failure, error):
    import openai

    monkeypatch.setattr(openai, "DEFAULT_MAX_RETRIES", 0)
    model = embedder("openai")
    model._client = model._client.with_options(max_retries=0)
    service.failure = failure
    with pytest.raises(error, match=r"^openai: .*told to fail") as caught:
        model.embed(["a"])
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


def test_a_service_that_is_not_there_is_told(service, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    model = embedder("openai")
    model._client = model._client.with_options(max_retries=0)
    with pytest.raises(Unreachable):
        model.embed(["a"])
