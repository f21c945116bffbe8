import json
import sys
import threading
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from cases import cased

from memoria.errors import ModelError, Unreachable, UsageError
from memoria.llm.embedding import embed_texts
from memoria.rules.merge.groups import BACKGROUND
from memoria.rules.skills import embed


@cased()
def test_a_missing_extra_names_its_command(monkeypatch, backend, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"^{backend} is not installed: pip install 'memoria-compiler\[{extra}\]'$"
    with pytest.raises(UsageError, match=said):
        embed_texts(["a"], backend)


def test_an_unknown_backend_is_refused_and_token_needs_no_model():
    with pytest.raises(UsageError, match="token, wordllama, sentence-transformers, openai"):
        embed_texts(["a"], "word2vec")
    assert embed(["a"], "token") is None


def test_wordllama_works_without_a_network():
    pytest.importorskip("wordllama")
    found = embed(["Run tests", "Execute the tests", "Peel potatoes", ""], "wordllama")
    assert found.background.shape[0] == len(BACKGROUND)
    assert found.texts[0] @ found.texts[1] > found.texts[0] @ found.texts[2]
    assert np.allclose(np.linalg.norm(found.texts[:3], axis=1), 1, atol=1e-5)


def test_sentence_transformers_by_its_interface(monkeypatch):
    class Model:
        def __init__(self, name):
            assert name == "all-MiniLM-L6-v2"

        def encode(self, texts, **options):
            assert options == {"show_progress_bar": False}
            return np.array([[len(text), 0.0] for text in texts])

    package = types.SimpleNamespace(SentenceTransformer=Model)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    assert embed_texts(["abc", ""], "sentence-transformers").tolist() == [[1.0, 0.0], [0.0, 0.0]]

    def load(name):
        raise OSError(f"no {name}\nanywhere")

    monkeypatch.setattr(package, "SentenceTransformer", load)
    with pytest.raises(Unreachable, match=r"^cannot load all-MiniLM-L6-v2: no all-M\S+ anywhere$"):
        embed_texts(["a"], "sentence-transformers")


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
    found = embed_texts([*texts, " "], "openai")
    assert [len(body["input"]) for body in service.asked] == [256, 45]
    assert service.asked[0]["model"] == "text-embedding-3-small"
    assert service.asked[1]["input"][-1] == "-"
    assert np.allclose(found[2], np.array([3, 1]) / np.sqrt(10))


def test_openai_without_a_key_says_what_to_set(monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="set OPENAI_API_KEY"):
        embed_texts(["a"], "openai")


def test_the_service_s_failures_are_told_in_a_line(service):
    service.failure = (400, "bad_request")
    with pytest.raises(ModelError, match=r"^openai: .*told to fail") as caught:
        embed_texts(["a"], "openai")
    assert "\n" not in str(caught.value)
