"""A Messages API on the loopback interface -> what the real client is told, and what it asked.

It speaks as much of the API as the client uses: server-sent events for a streamed message, JSON for
any other, errors with their type, broken and silent connections. Answers are scripted in order;
when the script is used up, `fallback` answers by looking at the request. It is a proxy as well:
whatever the client would fetch from elsewhere is refused and kept in `strays`, so that a test can
say that nothing else was contacted.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STRUCTURED = "StructuredOutput"  # the tool by which the client asks for JSON of a schema
HANG_SECONDS = 60.0  # longer than any test waits; the server's end cuts it short
DELTA = 4_000  # characters per delta event; the client must put several together


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: content blocks, or an HTTP error, or a connection that breaks or stays silent."""

    blocks: tuple[dict, ...] = ()
    stop: str = "end_turn"
    status: int = 200
    kind: str = ""
    message: str = ""
    headers: dict = field(default_factory=dict)
    cut: bool = False
    hang: bool = False
    delay: float = 0.0
    input_tokens: int = 1_000
    output_tokens: int = 100


def say(text, **more):
    """Answer with plain text."""
    return Answer(({"type": "text", "text": text},), **more)


def call(name, arguments, **more):
    """Answer with a tool call."""
    number = f"toolu_{time.monotonic_ns():x}"
    block = {"type": "tool_use", "id": number, "name": name, "input": arguments}
    return Answer((block,), **{"stop": "tool_use", **more})


def structured(value, **more):
    """Answer with JSON of the schema that was asked for."""
    return call(STRUCTURED, value, **more)


def fails(status, kind, message, **headers):
    """Answer with an HTTP error of the API."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, kind=kind, message=message, headers=names)


def task_of(body):
    """Tell which of Memoria's forms a request asks for: flush, compile, other, or "" for talk."""
    fields = next(
        (tool["input_schema"]["properties"] for tool in body.get("tools", ()) if is_form(tool)),
        None,
    )
    if fields is None:
        return ""
    return "flush" if "worth_keeping" in fields else "compile" if "articles" in fields else "other"


def is_form(tool):
    """Tell the form's tool from those of a session."""
    return tool.get("name") == STRUCTURED


def prompt_text(body):
    """Give all text of a request's messages, in order."""
    texts = []
    for message in body.get("messages", ()):
        content = message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        texts += [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    return "\n".join(texts)


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived; `at` is monotonic seconds."""

    method: str
    path: str
    headers: dict
    body: dict
    at: float


class Loopback:
    """The server; a context manager, or start() and stop()."""

    def __init__(self):
        self.requests = []
        self.strays = []
        self.fallback = lambda _body: say("ok")
        self._script = deque()
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def url(self):
        """Where the client is to look for the API."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def bodies(self):
        """The bodies of the message requests, in order."""
        return [seen.body for seen in self.requests if is_message(seen)]

    @property
    def responses(self):
        """The bodies of the requests to the Responses API, in order."""
        return [seen.body for seen in self.requests if is_response(seen)]

    def script(self, *answers):
        """Replace the script and forget the requests so far; release what hangs."""
        with self._lock:
            self.closing.set()
            self.closing = threading.Event()
            self._script = deque(answers)
            self.requests = []
            self.strays = []
            self.fallback = lambda _body: say("ok")

    def always(self, answer):
        """Give the same answer to every request."""
        self.script()
        self.fallback = lambda _body: answer

    def next_answer(self, body):
        """Give the script's next answer, or the fallback's."""
        with self._lock:
            if self._script:
                return self._script.popleft()
        return self.fallback(body)

    def start(self):
        """Serve from a thread."""
        self._thread.start()

    def stop(self):
        """Release hanging answers and close."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, at):
        self.stop()


def is_message(seen):
    """Tell a request for an answer from counting tokens and probing."""
    return seen.method == "POST" and seen.path.split("?")[0] == "/v1/messages"


def is_response(seen):
    """Tell a request of Codex's for an answer."""
    return seen.method == "POST" and seen.path.split("?")[0] == "/v1/responses"


def is_generation(seen):
    """Tell a request of Gemini CLI's for an answer."""
    return seen.method == "POST" and "GenerateContent" in seen.path.replace(":g", ":G")


def generated(answer):
    """Write an answer as Gemini's API does."""
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"functionCall": {"name": block["name"], "args": block["input"]}}
        for block in answer.blocks
    ]
    usage = {
        "promptTokenCount": answer.input_tokens,
        "candidatesTokenCount": answer.output_tokens,
        "totalTokenCount": answer.input_tokens + answer.output_tokens,
    }
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": usage}


def events(answer, model):
    """Give the server-sent events of a streamed answer."""
    usage = {"input_tokens": answer.input_tokens, "output_tokens": 1}
    yield "message_start", {"message": {**message(answer, model), "content": [], "usage": usage}}
    for index, block in enumerate(answer.blocks):
        yield from block_events(index, block)
    ending = {"stop_reason": answer.stop, "stop_sequence": None}
    usage = {"output_tokens": answer.output_tokens}
    yield "message_delta", {"delta": ending, "usage": usage}
    yield "message_stop", {}


def block_events(index, block):
    """Give the events of one content block, its text or input in pieces."""
    if block["type"] == "text":
        start, whole, kind, key = {**block, "text": ""}, block["text"], "text_delta", "text"
    else:
        start, whole = {**block, "input": {}}, json.dumps(block["input"])
        kind, key = "input_json_delta", "partial_json"
    yield "content_block_start", {"index": index, "content_block": start}
    for at in range(0, len(whole), DELTA):
        delta = {"type": kind, key: whole[at : at + DELTA]}
        yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}


def response_events(answer):
    """Give the server-sent events of an answer as the Responses API streams them, for Codex."""
    number = f"{time.monotonic_ns():x}"
    made = {"id": f"resp_{number}"}
    yield "response.created", {"response": made}
    for index, block in enumerate(answer.blocks):
        yield "response.output_item.done", {"item": _output_item(block, f"{number}_{index}")}
    usage = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
    usage["total_tokens"] = answer.input_tokens + answer.output_tokens
    yield "response.completed", {"response": {**made, "usage": usage}}


def _output_item(block, number):
    if block["type"] == "text":
        content = [{"type": "output_text", "text": block["text"]}]
        return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    arguments = {"name": block["name"], "call_id": block["id"]}
    if block["name"] == "apply_patch":
        patch = {"type": "custom_tool_call", "input": block["input"]["patch"]}
        return {**patch, **arguments, "id": f"ctc_{number}"}
    given = json.dumps(block["input"])
    return {"type": "function_call", **arguments, "id": f"fc_{number}", "arguments": given}


def response_text(body):
    """Give all text of a request to the Responses API, in order."""
    texts = []
    for one in body.get("input", ()):
        content = one.get("content", one.get("output"))
        blocks = [{"text": content}] if isinstance(content, str) else content or ()
        texts += [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    return "\n".join(texts)


def message(answer, model):
    """Give a whole answer as one JSON object."""
    return {
        "id": f"msg_{time.monotonic_ns():x}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(answer.blocks),
        "stop_reason": answer.stop,
        "stop_sequence": None,
        "usage": {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens},
    }


def encode(stream):
    """Write events as they stand on the wire."""
    return [
        f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
        for name, data in stream
    ]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, loop):
        super().__init__(("127.0.0.1", 0), Handler)
        self.loop = loop


class Handler(BaseHTTPRequestHandler):
    """Answers one connection by the server's script."""

    # HTTP/1.0: the end of the connection ends the body, so that a broken stream is easy to make
    protocol_version = "HTTP/1.0"

    @property
    def loop(self):
        """The server's state."""
        assert isinstance(self.server, _Server)
        return self.server.loop

    def log_message(self, *_args):
        """Keep the test's output clean."""

    def do_CONNECT(self):
        self.loop.strays.append(self.path)
        self.send_error(502)

    def do_HEAD(self):
        self._other()

    def do_GET(self):
        self._other()

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw.startswith(b"{") else {}
        seen = self._keep(body)
        try:
            if is_message(seen):
                self._answer(self.loop.next_answer(body), body)
            elif is_response(seen):
                self._send(encode(response_events(self.loop.next_answer(body))))
            elif is_generation(seen):
                told = generated(self.loop.next_answer(body))
                if ":stream" in seen.path:
                    self._send([f"data: {json.dumps(told)}\r\n\r\n".encode()])
                else:
                    self._json(200, told)
            elif seen.path.startswith("/v1/messages/count_tokens"):
                self._json(200, {"input_tokens": max(1, len(raw) // 4)})
            else:
                self._other(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up: some tests make it

    def _keep(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, self.path, headers, body, time.monotonic())
        self.loop.requests.append(seen)
        return seen

    def _other(self, body=None):
        if self.path.startswith("http"):  # asked as a proxy
            self.loop.strays.append(self.path)
        elif body is None:
            self._keep({})
        self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": ""}})

    def _answer(self, answer, body):
        if answer.delay:
            self.loop.closing.wait(answer.delay)
        if answer.status != 200:
            error = {"type": answer.kind, "message": answer.message}
            self._json(answer.status, {"type": "error", "error": error}, answer.headers)
        elif body.get("stream"):
            self._stream(answer, str(body.get("model", "")))
        elif answer.hang:
            self.loop.closing.wait(HANG_SECONDS)
        elif not answer.cut:
            self._json(200, message(answer, str(body.get("model", ""))))

    def _send(self, parts):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for part in parts:
            self.wfile.write(part)
        self.wfile.flush()

    def _stream(self, answer, model):
        parts = encode(events(answer, model))
        if answer.cut or answer.hang:
            parts = parts[:-3]  # all but the block's end and the message's
        self._send(parts)
        if answer.hang:
            self.loop.closing.wait(HANG_SECONDS)

    def _json(self, status, value, more=None):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in (more or {}).items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def results(body):
    """Give the results of the tool calls in a request: their text, and whether they are errors."""
    found = []
    for message in body["messages"]:
        content = message["content"] if isinstance(message["content"], list) else []
        for block in content:
            if block.get("type") == "tool_result":
                text = block["content"]
                if isinstance(text, list):
                    text = "\n".join(one.get("text", "") for one in text)
                found.append((text, bool(block.get("is_error"))))
    return found
