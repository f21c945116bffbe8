"""How fast and in how much memory transcripts are read -> ratios to a bare json.loads loop.

Both loops run over the same lines in the same process, so the ratio holds on any machine. The
sessions are made up in the shapes of two clients: in old ones nearly all bytes are conversation, in
new ones a twentieth is. Memory is the peak of a process of its own that reads one large file.

    python bench/reader.py [--megabytes 500] [--dir FOLDER_WITH_JSONL_FILES]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from memoria.agents.port import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 20261121
ROUNDS = 5  # the best of them counts: the rest is what else the machine did
STRETCH_MB = 20  # some hundred turns: no two of them alike
SPEED_MB = 20  # long enough to time, short enough for a shared machine
WORDS = ["reader", "line", "table", "key", "value", "lock", "error", "retry", "cache", "branch"]
WORDS += ["the", "a", "is", "of", "and", "to", "when", "not", "return", "été", "日本", "0x7f3a"]


class Session:
    """Makes the lines of one session, in the order and with the keys of a client."""

    def __init__(self, rng: random.Random, *, new: bool) -> None:
        """Begin a session; `new` chooses the client of which most bytes are no conversation."""
        self._rng, self._new = rng, new
        self._at = datetime(2026, 3, 2, 9, tzinfo=UTC)
        self._count = 0

    def turns(self) -> Iterator[dict[str, Any]]:
        """Give the lines of one turn after the other, without end."""
        while True:
            self._at += timedelta(seconds=self._rng.randrange(20, 400))
            if self._new:
                yield from self._noise()
            yield self._line("user", {"role": "user", "content": self._text(25)})
            for _ in range(self._rng.randrange(2, 9)):
                yield from self._step()
            yield self._reply({"type": "text", "text": self._text(180)})

    def _step(self) -> Iterator[dict[str, Any]]:
        call = f"toolu_{self._next()}"
        output = self._text(int(self._rng.paretovariate(1.1) * 220) % 6000)
        yield self._reply({"type": "thinking", "thinking": "", "signature": "x" * 900})
        if not self._new:
            yield {**self._line("progress", {}), "data": {"output": self._text(350)}}
        tool = {"command": self._text(12), "description": self._text(5)}
        yield self._reply({"type": "tool_use", "id": call, "name": "Bash", "input": tool})
        result: dict[str, Any] = {
            "tool_use_id": call,
            "type": "tool_result",
            "content": output,
            "is_error": False,
        }
        line = self._line("user", {"role": "user", "content": [result]})
        yield {**line, "toolUseResult": {"stdout": output, "stderr": "", "interrupted": False}}
        if self._new:
            yield from self._noise()

    def _noise(self) -> Iterator[dict[str, Any]]:
        """Give what new clients write around each request: shapes, blobs, snapshots."""
        session = {"sessionId": "bench"}
        yield {"type": "api-request-shape", **session, "shape": self._text(4000)}
        yield {"type": "api-request-blob", **session, "message": {"content": self._text(2000)}}
        line = self._line("attachment", {})
        snapshot = {"type": "prompt_snapshot", "content": self._text(5000)}
        yield {"parentUuid": None, "isSidechain": False, "attachment": snapshot, **line}
        yield {"type": "last-prompt", "lastPrompt": self._text(20), **session}

    def _reply(self, block: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 9, "output_tokens": 90, "cache_read_input_tokens": 30_000}
        message: dict[str, Any] = {
            "id": f"msg_{self._next()}",
            "type": "message",
            "role": "assistant",
        }
        message |= {"model": "claude-opus-4-6", "content": [block], "usage": usage}
        line = self._line("assistant", message)
        first = ("parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version")
        return {key: line[key] for key in (*first, "gitBranch", "message", "type", *line)}

    def _line(self, kind: str, message: dict[str, Any]) -> dict[str, Any]:
        self._at += timedelta(milliseconds=self._rng.randrange(20, 9000))
        return {
            "parentUuid": f"00000000-0000-4000-8000-{self._count:012x}",
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/ana/shop",
            "sessionId": "bench",
            "version": "2.1.330" if self._new else "2.1.30",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": f"00000000-0000-4000-8000-{self._next():012x}",
            "timestamp": self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }

    def _text(self, words: int) -> str:
        return " ".join(self._rng.choices(WORDS, k=words))

    def _next(self) -> int:
        self._count += 1
        return self._count


def write(path: Path, megabytes: float, *, new: bool) -> None:
    """Write a session of that size; a first stretch of it repeats with other uuids: that is fast.

    Line by line, since a child that is measured later begins with this process's peak of memory.
    """
    size = lines = 0
    with path.open("wb") as file:
        for line in Session(random.Random(SEED), new=new).turns():
            size, lines = size + file.write(dumped(line)), lines + 1
            if size >= min(megabytes, STRETCH_MB) * 1e6:
                break
    for number in range(1, ceil(megabytes * 1e6 / size)):
        with path.open("rb") as first, path.open("ab") as file:
            for raw in islice(first, lines):
                file.write(raw.replace(b"-4000-8000-", b"-4%03d-8000-" % number))


def dumped(line: dict[str, Any]) -> bytes:
    """Write a line as the client does: no spaces, no escapes but those that must be."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def bare(paths: list[Path]) -> None:
    """Parse every line and keep nothing: the least that reading can cost without a filter."""
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)


def ours(paths: list[Path]) -> int:
    """Read every file and count the turns."""
    return sum(len(part.turns) for path in paths for part in read(path))


def best(work: Callable[[list[Path]], object], paths: list[Path]) -> float:
    """Time the work and give the seconds of its best round."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work(paths)
        times.append(time.perf_counter() - begin)
    return min(times)


def compare(name: str, paths: list[Path]) -> None:
    """Print the speed of both loops over the same files, and their ratio."""
    megabytes = sum(path.stat().st_size for path in paths) / 1e6
    plain, read_time = best(bare, paths), best(ours, paths)
    print(
        f"{name}: {megabytes:.0f} MB, {ours(paths)} turns; bare {megabytes / plain:.0f} MB/s, "
        f"read {megabytes / read_time:.0f} MB/s, ratio {plain / read_time:.2f} (to reach: 0.50)"
    )


def peak(path: Path) -> None:
    """Print the peak memory of a process that reads the file and holds one part at a time."""
    command = [sys.executable, __file__, "--peak", str(path)]
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, size = time.perf_counter() - begin, path.stat().st_size / 1e6
    print(f"memory: {size:.0f} MB in {seconds:.1f} s, {done.stdout.strip()} (to stay under: 60 MB)")


def measure_self(path: Path) -> None:
    """Read in this process and print its own peak."""
    parts = turns = 0
    for part in read(path):
        parts, turns = parts + 1, turns + len(part.turns)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{parts} parts, {turns} turns, peak {kilobytes / 1024:.0f} MB")


def main() -> None:
    """Measure made-up sessions, or those of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=500, help="size of the large file")
    parser.add_argument("--dir", type=Path, help="measure the .jsonl files of this folder instead")
    parser.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        measure_self(options.peak)
    elif options.dir:
        compare(str(options.dir), sorted(options.dir.rglob("*.jsonl")))
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure_made_up(Path(folder), options.megabytes)


def measure_made_up(folder: Path, megabytes: float) -> None:
    """Measure both shapes for memory, then for speed: a child begins with its parent's peak."""
    for name, new in (("old client", False), ("new client", True)):
        large = folder / "large.jsonl"
        write(large, megabytes, new=new)
        print(name, end=", ")
        peak(large)
        large.unlink()
    for name, new in (("old client", False), ("new client", True)):
        path = folder / f"{new}.jsonl"
        write(path, SPEED_MB, new=new)
        compare(name, [path])


if __name__ == "__main__":
    main()
