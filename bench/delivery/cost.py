"""Time the prompt hook on 100,000 lines, and the index: built, brought up to date, asked.

CPU of the hook beside the bare hook (one JSON object in, one out), medians of rounds that take
turns. The words of the made-up sessions follow Zipf's law.

    python -m bench.delivery.cost [--lines 100000] [--rounds 40]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path  # noqa: TC003 - a bench, whose start costs nothing

from bench.delivery.vaults import HERE, OWN, Vault, own

from memoria.search.index.passages import Document, HeardSubject, IndexedLine
from memoria.search.index.store import FileContent, SearchIndex

SEED = 20261122
LINES_OF_A_SESSION = 10
BARE = """
import json, sys
event = json.load(sys.stdin)
answer = {"hookEventName": "UserPromptSubmit", "additionalContext": event["session_id"]}
print(json.dumps({"hookSpecificOutput": answer}))
"""
HOOK = HERE.parents[1] / "scripts" / "memoria" / "hooks" / "user_prompt_submit.py"


def sessions(lines: int, rng: random.Random) -> list[Document]:
    """Make sessions up: 200 words each, some of them in few sessions alone."""
    words = [f"{_syllables(rng)}{number % 7}" for number in range(30_000)]
    weights = [1 / (rank + 8) for rank in range(len(words))]
    documents = []
    for number in range(lines // LINES_OF_A_SESSION):
        said = " ".join(rng.choices(words, weights, k=200))
        parts = said.split()
        told = tuple(
            IndexedLine("conclusion", 3, "k", " ".join(parts[at * 20 : at * 20 + 20]))
            for at in range(LINES_OF_A_SESSION)
        )
        name = f"daily/2026-01-01-{number:06}.md"
        heard = (HeardSubject(0, said, told),)
        link = f"daily/2026-01-01#^e-{number:012x}"
        documents.append(
            Document(name, name, "", "entry", "2026-01-01", (OWN,), (), said, (), link, heard=heard)
        )
    return documents


def _syllables(rng: random.Random) -> str:
    return "".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(3))


def cpu(command: list[str], event: dict[str, str], home: Path) -> tuple[float, bool]:
    """Run a program on an event; give the ms of CPU that it took, and whether it said something."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        input=json.dumps(event).encode(),
        capture_output=True,
        check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1000, bool(done.stdout)


def main() -> None:
    """Print times of the index, and ratios of the hook."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    rng = random.Random(SEED)
    documents = sessions(options.lines, rng)
    with Vault(own(), set()) as vault:
        path = vault.state / "search.sqlite"
        path.unlink()
        index = SearchIndex(path)
        begin = time.process_time()
        index.sync_documents(documents, {"k"})
        size = path.stat().st_size / sum(len(document.text) for document in documents) / 2
        print(f"{options.lines} lines: built in {time.process_time() - begin:.1f} s CPU")
        print(f"{size:.2f} bytes for each of text")
        stamps = {document.path: (1, 1, 1) for document in documents}
        read = {document.path: document for document in documents}
        index.sync_files(stamps, lambda name: _read(read[name]), {"k"})
        first = documents[0].path
        read[first] = replace(documents[0], sha="new", text="something else")
        begin = time.process_time()
        index.sync_files(stamps | {first: (2, 1, 1)}, lambda name: _read(read[name]), {"k"})
        print(f"after one entry: {time.process_time() - begin:.3f} s")
        begin = time.process_time()
        for document in documents[100:150]:
            index.find(" ".join(document.text.split()[:6]))
        print(f"a search: {(time.process_time() - begin) * 20:.1f} ms")
        _hooks(vault, documents, options.rounds)


def _read(document: Document) -> FileContent:
    return FileContent(document.sha, (document,))


def _hooks(vault: Vault, documents: list[Document], rounds: int) -> None:
    python = [sys.executable, "-S", "-E"]
    bare = [*python, "-c", BARE]
    hook = [*python, str(HOOK), "--vault", str(vault.home / "vault"), "--state", str(vault.state)]
    times: dict[str, list[float]] = {"bare": [], "silent": [], "told": []}
    told = 0
    for number in range(rounds):
        event = {"session_id": f"s-{number}", "cwd": OWN, "hook_event_name": "UserPromptSubmit"}
        words = documents[number * 7 % len(documents)].text.split()
        prompts = {
            "bare": "",
            "silent": "Please " + " ".join(words[at] for at in range(0, 200, 40)) + " as before.",
            "told": "Please look: " + " ".join(words[:40]),
        }
        for name, prompt in prompts.items():
            command = bare if name == "bare" else hook
            spent, said = cpu(command, {**event, "prompt": prompt}, vault.home)
            times[name].append(spent)
            told += said and name == "told"
    base = statistics.median(times["bare"])
    for name, row in times.items():
        middle = statistics.median(row)
        print(f"{name}: {middle:.1f} ms CPU, {middle / base:.2f}x")
    print(f"told something: {told} of {rounds}")
    shutil.rmtree(vault.state / "seen", ignore_errors=True)


if __name__ == "__main__":
    main()
