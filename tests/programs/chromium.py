"""A real headless Chromium, driven through its pipe: a page opened, asked, and pictured.

The DevTools protocol goes over two file descriptors as JSON with a NUL behind it, so no port is
open and no package is needed. What the page wrote on the console and what it asked of the network
is kept. The trap: the browser needs a home of its own, or it would write into that of the machine.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",  # CI runs as root, and the page is our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


def find() -> str | None:
    """Find a Chromium of this machine."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Chromium:
    """A browser; use it as a context."""

    def __init__(self) -> None:
        self._home = tempfile.mkdtemp(prefix="chromium-")
        from_us, self._out = os.pipe()
        self._in, to_us = os.pipe()
        # the protocol's descriptors are 3 and 4
        command = f"exec {find()} {' '.join(FLAGS)} --user-data-dir={self._home}/data about:blank"
        script = f"{command} 3<&{from_us} 4>&{to_us}"
        self._process = subprocess.Popen(
            ["bash", "-c", script],
            pass_fds=(from_us, to_us),
            env={"HOME": self._home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        self._buffer = b""
        self._number = 0
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._home, ignore_errors=True)

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its answer."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == number:
                assert "error" not in found, found
                return found["result"]
            self._event(found)

    def wait(self, session: str, method: str) -> None:
        """Wait for an event of a page."""
        while True:
            found = self._next()
            self._event(found)
            if found.get("method") == method and found.get("sessionId") == session:
                return

    def open(self, address: str, *, width: int = 1280, scheme: str = "light") -> Page:
        """Open a page at a width and in a scheme of colours."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        page = Page(self, attached["sessionId"])
        self._pages[page.session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.resize(width, scheme)
        page.call("Page.navigate", url=address)
        self.wait(page.session, "Page.loadEventFired")
        page.evaluate("document.readyState")
        return page

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._in, 1 << 20)
            assert data, "the browser has ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _event(self, found: dict[str, Any]) -> None:
        page = self._pages.get(found.get("sessionId", ""))
        if page:
            page.take(found["method"], found["params"])


@dataclass
class Page:
    """An open page, with what it wrote on the console (`log`) and asked for (`requests`)."""

    browser: Chromium
    session: str
    log: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def take(self, method: str, values: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Log.entryAdded":
            self.log.append(values["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.log.append(str(values["args"]))
        elif method == "Runtime.exceptionThrown":
            self.log.append(str(values["exceptionDetails"]))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width: int, scheme: str = "light", media: str = "") -> None:
        """Show the page at a width, in a scheme of colours, or as paper has it ("print")."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def evaluate(self, expression: str) -> Any:
        """Give the value of an expression of JavaScript in the page."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def screenshot(self, path: str | Path, top: int = 0, height: int = 0) -> None:
        """Picture the page, whole or from `top` on."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": top,
            "width": size["width"],
            "height": height or size["height"] - top,
            "scale": 1,
        }
        found = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        Path(path).write_bytes(base64.b64decode(found["data"]))
