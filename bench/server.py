"""How soon `memoria mcp` answers, and what it holds in memory -> figures beside a bare import.

The bare run imports the mcp package's server and ends: no server that uses it starts faster. The
vault is made here, with as many articles as are asked for. Processor time, since the machine may be
doing other things as well; a call's is measured by the clock, and its least of the rounds counts.

    python bench/server.py [--articles 10000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
BARE = "import mcp.server.lowlevel, mcp.server.stdio"
CALLS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("the first search", "memory_search", {"query": "token expiry in UTC"}),
    ("a search", "memory_search", {"query": "lease of the importer"}),
    ("reading 4,000 characters", "memory_read", {"id": "index"}),
    ("the rules", "memory_rules", {}),
    ("the status", "memory_status", {}),
)


class Server:
    """A server that runs, as a client starts it."""

    def __init__(self, vault: Path, home: Path) -> None:
        program = ["-c", "from memoria.cli.main import main; main()", "mcp", "--vault", str(vault)]
        self._process = subprocess.Popen(
            [sys.executable, *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(home),
            cwd=home,
        )

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a request, and wait for its answer."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._send(message)
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))

    def greet(self) -> None:
        """Begin as a client does."""
        info = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def busy(self) -> float:
        """Seconds of the processor so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes that it holds."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        (found,) = [line for line in lines if line.startswith("VmRSS")]
        return int(found.split()[1]) / 1024

    def end(self) -> float:
        """Close its input; give the seconds until it has ended."""
        assert self._process.stdin is not None
        begin = time.perf_counter()
        self._process.stdin.close()
        self._process.wait(30)
        return time.perf_counter() - begin


def environment(home: Path) -> dict[str, str]:
    """Give a clean environment."""
    return {"HOME": str(home), "PYTHONPATH": str(SCRIPTS), "PATH": os.environ["PATH"]}


def bare(home: Path) -> float:
    """Import the package and end; give the seconds of the processor."""
    before = os.times()
    subprocess.run([sys.executable, "-c", BARE], check=True, env=environment(home))
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def made(root: Path, articles: int) -> Path:
    """Make a vault with so many articles."""
    vault = root / "vault"
    code = "from memoria.cli.main import main; main()"
    line = [sys.executable, "-c", code, "init", str(vault), "--quiet"]
    subprocess.run(line, check=True, env=environment(root))
    folder = vault / "knowledge" / "concepts"
    folder.mkdir(exist_ok=True)
    for number in range(articles):
        title = f"Lease {number} of the importer"
        lines = "".join(f"- Point {at}: token {number * at} expires in UTC.\n" for at in range(6))
        text = f'---\ntitle: "{title}"\nupdated: 2026-04-01\n---\n\n# {title}\n\nA lease.\n\n'
        (folder / f"lease-{number}.md").write_text(f"{text}## Key Points\n\n{lines}")
    return vault


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vault = made(Path(folder), options.articles)
        least = min(bare(Path(folder)) for _ in range(options.rounds))
        starts, ends, sizes = [], [], []
        calls: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            server = Server(vault, Path(folder))
            server.greet()
            starts.append(server.busy())
            before = server.memory()
            for name, tool, arguments in CALLS:
                begin = time.perf_counter()
                server.ask("tools/call", name=tool, arguments=arguments)
                calls.setdefault(name, []).append(time.perf_counter() - begin)
            sizes.append((before, server.memory()))
            ends.append(server.end())
    print(f"start: {min(starts) / least:.2f}x the bare import ({least:.2f} s); ends in ", end="")
    print(f"{min(ends):.2f} s; {min(sizes)[0]:.0f} MB, after these calls {min(sizes)[1]:.0f} MB")
    for name, seconds in calls.items():
        # the first round makes the index of the words
        print(f"  {name:<28} {min(seconds) * 1000:6.0f} ms (most {max(seconds) * 1000:.0f})")


if __name__ == "__main__":
    main()
