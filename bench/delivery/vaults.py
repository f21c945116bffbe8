"""Make a vault of chats, and ask its prompt hook in this process.

The chats are the ones beside this file (a web service in TypeScript; pipeline: Python; service: Go;
market: Ruby;
all written before the ranking was looked at), or those of a folder with projects/, cases.jsonl and
unrelated.jsonl.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

from memoria.hooks import protocol  # noqa: E402 - as above
from memoria.hooks.prompt_answer import PromptAnswer  # noqa: E402 - as above
from memoria.hooks.session_claims import SessionClaims  # noqa: E402 - as above

OWN = "/home/dev/harbor"


@dataclass
class Case:
    """A prompt, and what of the chat `session` has to reach it; `stale` is the chat it amended."""

    name: str
    prompt: str
    literals: list[str]
    session: str
    stale: str = ""
    stale_literals: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


@dataclass
class Data:
    """Chats as files of transcripts, by session; cases; prompts that no chat is about."""

    chats: dict[str, str]
    cases: list[Case]
    unrelated: list[str]
    cwd: str


def own(folder: str = "") -> Data:
    """Read the chats beside this file, or those of a folder there: pipeline, service, market."""
    rows, decoys = (
        [json.loads(line) for line in (HERE / folder / file).read_text("utf-8").splitlines()]
        for file in ("cases.jsonl", "decoys.jsonl")
    )
    chats = {_session(row["id"]): _transcript(row["id"], row) for row in rows}
    for at, row in enumerate(decoys):
        name = f"decoy {at}"
        chats[_session(name)] = _transcript(name, row)
    cases = [
        Case(
            row["id"],
            row["prompt"],
            row["literals"],
            _session(row["id"]),
            _session(row["amends"]) if row["amends"] else "",
            row["stale_literals"],
        )
        for row in rows
        if row["prompt"]
    ]
    unrelated = (HERE / folder / "unrelated.txt").read_text("utf-8").splitlines()
    return Data(chats, cases, unrelated, OWN)


def shared(folder: Path) -> Data:
    """Read a folder of this benchmark's form that lies elsewhere."""
    chats = {path.stem: path.read_text("utf-8") for path in folder.glob("projects/*/*.jsonl")}
    rows = [json.loads(line) for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]
    cases = [
        Case(
            row["id"],
            row["prompt"],
            row["literals"],
            row["session"],
            row["stale"] or "",
            row["stale_literals"],
            row["without"],
        )
        for row in rows
    ]
    prompts = (folder / "unrelated.jsonl").read_text("utf-8").splitlines()
    cwd = json.loads(next(iter(chats.values())).splitlines()[-1])["cwd"]
    return Data(chats, cases, [json.loads(line)["prompt"] for line in prompts], cwd)


def _session(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"harbor {name}"))


def _transcript(name: str, chat: dict[str, Any]) -> str:
    """Write a chat as the client does; the last answer comes behind the edits that it made."""
    rows: list[dict[str, Any]] = []
    last = len(chat["chat"]) - 1
    for number, text in enumerate(chat["chat"]):
        if number % 2:
            edits = chat["edits"] if number >= last - 1 else []
            _answer(rows, name, text, edits)
        else:
            _add(rows, name, chat["day"], "user", text)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _answer(rows: list[dict[str, Any]], name: str, text: str, edits: list[list[str]]) -> None:
    day = rows[0]["timestamp"][:10]
    for path, function in edits:
        call = f"toolu_{_session(name)[:8]}_{len(rows)}"
        given = {
            "file_path": f"{OWN}/{path}",
            "old_string": f"export function {function}(",
            "new_string": f"// as agreed\nexport function {function}(",
        }
        used = {"type": "tool_use", "id": call, "name": "Edit", "input": given}
        _add(rows, name, day, "assistant", [used])
        done = f"The file {OWN}/{path} has been updated."
        _add(
            rows, name, day, "user", [{"type": "tool_result", "tool_use_id": call, "content": done}]
        )
    _add(rows, name, day, "assistant", [{"type": "text", "text": text}])


def _add(rows: list[dict[str, Any]], name: str, day: str, who: str, content: object) -> None:
    at = datetime.fromisoformat(f"{day}T09:00:00+00:00") + timedelta(minutes=len(name) * 7)
    message = {"role": who, "content": content}
    if who == "assistant":
        identity = f"msg_{_session(name)[:8]}_{len(rows)}"
        message |= {"id": identity, "model": "m", "type": "message"}
    rows.append(
        {
            "parentUuid": rows[-1]["uuid"] if rows else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": OWN,
            "sessionId": _session(name),
            "version": "2.1.30",
            "gitBranch": "main",
            "type": who,
            "message": message,
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{_session(name)} {len(rows)}")),
            "timestamp": (at + timedelta(minutes=len(rows))).isoformat().replace("+00:00", "Z"),
        }
    )


class Vault:
    """A vault of chats in a home of its own; a context, after which it is gone."""

    def __init__(self, data: Data, without: set[str]) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="delivery-bench-")).resolve()
        self.cwd = data.cwd
        # the client's own place: what is said in any other folder only proposes rules
        chats = self.home / ".claude" / "projects"
        (chats / "p").mkdir(parents=True)
        for session, text in data.chats.items():
            if session not in without:
                path = chats / "p" / f"{session}.jsonl"
                path.write_text(text, encoding="utf-8")
                end = json.loads(text.splitlines()[-1])["timestamp"].replace("Z", "+00:00")
                os.utime(path, (datetime.fromisoformat(end).timestamp(),) * 2)
        for verb in (["init", str(self.home / "vault")], ["import"], ["compile"]):
            self.run(*verb)
        (self.state,) = (self.home / ".local/state/memoria").glob("*/hooks.json")
        self.state = self.state.parent

    def __enter__(self) -> Self:
        """Give it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take it away."""
        shutil.rmtree(self.home)

    def run(self, *verb: str) -> None:
        """Run a verb on the vault."""
        command = [sys.executable, "-m", "memoria", *verb]
        values = {"HOME": str(self.home), "MEMORIA_VAULT": str(self.home / "vault"), "TZ": "UTC"}
        values |= {"PATH": os.environ["PATH"], "MEMORIA_ENGINE": "offline", "LANG": "C.UTF-8"}
        values["PYTHONPATH"] = str(HERE.parents[1] / "scripts")
        done = subprocess.run(
            command, env=values, cwd=self.home, capture_output=True, text=True, check=False
        )
        # an empty vault has nothing to compile
        if done.returncode not in {0, 3}:
            raise RuntimeError(f"memoria {' '.join(verb)}: {done.stderr}")

    def told(self, prompt: str) -> str:
        """Give what the prompt hook tells a new session."""
        answer = self.answer(prompt)
        return answer.claim_texts("p") if answer.rules or answer.lines else ""

    def answer(self, prompt: str) -> PromptAnswer:
        """Ask the prompt hook in a new session."""
        place = protocol.HookPlace(str(self.home / "vault"), str(self.state))
        given = SessionClaims(place, str(uuid.uuid4()))
        return PromptAnswer(place, given, self.cwd, prompt)

    def session(self, document: int) -> str:
        """Give the session of a document of the index."""
        with sqlite3.connect(self.state / "search.sqlite") as base:
            query = "SELECT session FROM document WHERE id = ?"
            session: str = base.execute(query, (document,)).fetchone()[0]
        base.close()
        return session

    def hide(self, sessions: set[str]) -> None:
        """Let prompts be compared with none of these sessions."""
        with sqlite3.connect(self.state / "search.sqlite") as base:
            base.execute("UPDATE passage SET asked = 1 WHERE heard")
            base.executemany(
                """UPDATE passage SET asked = 0
                    WHERE document IN (SELECT id FROM document WHERE session = ?)""",
                [(session,) for session in sessions],
            )
        base.close()


def rounds(cases: list[Case]) -> list[tuple[list[Case], set[str]]]:
    """Give cases that can be asked of one vault, with what is left out for them."""
    found: list[tuple[list[Case], set[str], set[str]]] = []
    for case in cases:
        need, no = {case.session, case.stale} - {""}, set(case.without)
        fits = (row for row in found if not (no & row[1] or need & row[2]))
        together = next(fits, None)
        if together is None:
            together = ([], set(), set())
            found.append(together)
        together[0].append(case)
        together[1].update(need)
        together[2].update(no)
    return [(together, left_out) for together, _, left_out in found]


def holds(text: str, literal: str) -> bool:
    """Whether one of the literal's forms stands in a text; "*" leaves the end of a word open."""
    plain = " ".join(text.replace("\\", "").replace("`", "").lower().split())
    for form in literal.lower().split("|"):
        end = "" if form.endswith("*") or not form[-1].isalnum() else r"(?!\w)"
        start = r"(?<!\w)" if form[0].isalnum() else ""
        if re.search(start + re.escape(form.rstrip("*")) + end, plain):
            return True
    return False
