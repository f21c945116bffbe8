"""Record what Memoria writes and prints for fixed sessions, or compare two such records.

    python -m bench.goldens.run OUT [--hash-seed N] [--sets samples generated]
    python -m bench.goldens.run --compare OLD NEW

A record is a folder of texts: the vault after each step, what verbs print, what hooks print and
which modules they load. Moving or renaming a module of Memoria changes no compared line. Two
records of one version agree, whatever the hash seed; a difference names the file and shows it.
"""

from __future__ import annotations

import argparse
import difflib
import fcntl
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.goldens import sessions
from bench.goldens.room import START, Room

from memoria.cli.setup.sample_sessions import read_sample_sessions, render_transcript

if TYPE_CHECKING:
    from memoria.cli.setup.sample_sessions import SampleSession

SEED, COUNT = 10, 24
HELD = 3  # sessions at the end that hooks bring in
READERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("skills", ("skills", "--json")),
    ("skills-markdown", ("skills", "--format", "markdown")),
    ("search-articles", ("search", "why is it empty", "--json", "-k", "8", "--scope", "articles")),
    ("search-all", ("search", "lock transaction retry", "--json", "-k", "12")),
    ("search-code", ("search", "DATABASE_URL src/config.ts", "--json")),
    ("query", ("query", "What was decided about the queue, and why?", "--json")),
    ("report", ("report", "--json")),
    ("status", ("status", "--json")),
    ("diff", ("diff",)),
    ("review", ("review",)),
    ("list", ("list", "--json")),
    ("distill", ("distill", "--json")),
    ("stats", ("stats", "--detailed")),
    ("cost", ("cost", "--json")),
    ("guards", ("guard", "list")),
)
PROMPTS = (
    "How do I run the migrations of the payments table, who takes the advisory lock?",
    "Where is the refresh token stored, and which mode has the session file?",
    "Touch the schema of the retry budget, then run `make check` and push the mail queue.",
    "What about the search index and the lease table, where are its times stored in UTC?",
    "thanks, that is all",
)
CALLS = ("git push --force origin main", "pip install requests", "git commit -m x", "ls")
# words of rules whose check is switched on
GUARDED = ("--force", "not pip", "main directly")
_UNDEFINED = "src/session.ts(7,10): error TS2532: Object is possibly 'undefined'."
_OWN = re.compile(r"^(memoria: \w{8}|memoria: -{8}) \S+$", re.MULTILINE)


def record(out: Path, hash_seed: str, wanted: list[str]) -> None:
    """Record the sets, one after the other, in the room that is this machine's only one."""
    base = Path(tempfile.gettempdir()) / "memoria-goldens"
    base.mkdir(exist_ok=True)
    with (base / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in wanted:
            found = _sets(name)
            room = Room(base / "room", out / name, hash_seed)
            _imported(room, found[:-HELD])
            _hooked(room, found[-HELD:])


def _sets(name: str) -> list[SampleSession]:
    if name == "samples":
        return read_sample_sessions()
    return sessions.sessions(SEED, COUNT)


def _imported(room: Room, found: list[SampleSession]) -> None:
    for session in found:
        room.put(session.path, render_transcript(session))
    room.verb("01-init", "init")
    room.verb("02-install", "install")
    room.verb("03-import", "import", "--json")
    room.keep("04-vault-after-import")
    room.verb("05-compile", "compile", "--json")
    room.keep("06-vault-after-compile")
    room.verb("07-lint", "lint", "--structural-only", "--json")
    room.keep("08-vault-after-lint")
    room.verb("09-compile-again", "compile", "--json")
    for number, (name, words) in enumerate(READERS, 10):
        room.verb(f"{number}-{name}", *words)
    room.verb("40-why", "why", _line(room.vault))
    room.verb("41-remember", "remember", "Always name the owner of a queue.", "--global")
    room.verb("42-mcp", "mcp", said=_calls())
    rules = json.loads(room.verb("44-status", "status", "--json").partition("\n--- ")[0])["rules"]
    for number, rule in enumerate(rules):
        if any(words in rule["rule"] for words in GUARDED):
            room.verb(f"45-guard-{number}", "guard", "on", rule["id"])
    room.keep("43-vault-after-readers")


def _line(vault: Path) -> str:
    """Name the first line of an article that says where it comes from."""
    for file in sorted((vault / "knowledge").glob("concepts/*.md")):
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            if line.startswith("- ") and "[[daily/" in line:
                return f"{file.relative_to(vault)}:{number}"
    return "knowledge/index.md:1"


def _calls() -> bytes:
    """Give the lines of an MCP client that lists the tools and calls two."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    calls: tuple[tuple[str, int | None, dict[str, Any]], ...] = (
        ("initialize", 1, hello | {"clientInfo": {"name": "goldens", "version": "1"}}),
        ("notifications/initialized", None, {}),
        ("tools/list", 2, {}),
        ("tools/call", 3, {"name": "memory_search", "arguments": {"query": "lock"}}),
    )
    rows: list[dict[str, Any]] = []
    for method, number, given in calls:
        row: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": given}
        rows.append(row if number is None else row | {"id": number})
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _hooked(room: Room, found: list[SampleSession]) -> None:
    commands = room.hooks()
    number = 50
    for place, session in enumerate(found):
        written = room.put(session.path, render_transcript(session))
        base = {"session_id": session.id, "cwd": session.cwd, "transcript_path": str(written)}
        last = ("PreCompact", {"trigger": "auto"}) if place == 0 else ("SessionEnd", {})
        events: list[tuple[str, dict[str, Any]]] = [
            ("SessionStart", {"source": "startup"}),
            *(("UserPromptSubmit", {"prompt": prompt}) for prompt in PROMPTS),
            *(("PostToolUseFailure", one) for one in _failures()),
            *(("PreToolUse", _call("Bash", command=command)) for command in CALLS),
            last,
            ("SessionStart", {"source": "resume"}),
        ]
        for event, more in events:
            command = commands.get(event) or _sibling(commands["SessionStart"], event)
            value = {**base, "hook_event_name": event, **more}
            room.hook(f"{number:03}-{event}", value, command)
            number += 1
    room.verb(f"{number:03}-flush", "flush", "--sweep", "--json")
    room.keep(f"{number + 1:03}-vault-after-flush")
    room.verb(f"{number + 2:03}-compile", "compile", "--json")
    room.verb(f"{number + 3:03}-report", "report", "--json")
    room.keep(f"{number + 4:03}-vault-at-the-end")


def _call(tool: str, **given: str) -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{START}"}


def _failures() -> list[dict[str, Any]]:
    """Give failed calls whose errors earlier sessions had."""
    said = (
        ("make db", "Exit code 1\nRuntimeError: DATABASE_URL is not set"),
        ("make test", "Exit code 2\nRuntimeError: TEST_DATABASE_URL is not set"),
        ("pnpm tsc --noEmit", f"Exit code 1\n{_UNDEFINED}"),
        ("pytest -q tests/test_mail_queue.py", "Exit code 1\nE   ValueError: mail queue is empty"),
        ("true", "Exit code 1\nnobody has ever seen this one"),
    )
    return [_call("Bash", command=command) | {"error": text} for command, text in said]


def _sibling(command: list[str], event: str) -> list[str]:
    """Give the command of an event whose hook is installed later, when a guard is switched on."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
    return [
        str(Path(word).with_name(f"{name}.py")) if word.endswith(".py") else word
        for word in command
    ]


def compare(old: Path, new: Path) -> int:
    """Print how two records differ; names of Memoria's modules count for nothing."""
    texts = [
        {
            str(file.relative_to(folder)): _OWN.sub(r"\1", file.read_text(encoding="utf-8"))
            for file in folder.rglob("*")
            if file.is_file()
        }
        for folder in (old, new)
    ]
    names = sorted(texts[0].keys() | texts[1].keys())
    differing = [name for name in names if texts[0].get(name) != texts[1].get(name)]
    for name in differing:
        before, after = (text.get(name, "").split("\n") for text in texts)
        rows = difflib.unified_diff(before, after, f"old/{name}", f"new/{name}", n=1, lineterm="")
        print("\n".join(rows))
    print(f"{len(names)} files, {len(differing)} differ")
    return int(bool(differing))


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, nargs="?", help="where the record goes")
    parser.add_argument("--hash-seed", default="random", help="PYTHONHASHSEED of what is run")
    parser.add_argument("--sets", nargs="+", default=["samples", "generated"])
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"))
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(*arguments.compare)
    if arguments.out is None or (arguments.out.exists() and any(arguments.out.iterdir())):
        parser.error("name a folder that is empty or not there")
    record(arguments.out, arguments.hash_seed, arguments.sets)
    return 0


if __name__ == "__main__":
    sys.exit(main())
