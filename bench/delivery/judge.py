"""Print what hooks tell real sessions, for people who judge it blind.

Each session of a folder is asked in order of time against a vault of the earlier ones: its prompts,
and its start on its own branch and day. A seed draws which of those that were told something are
printed, each with what the session was about.

    python -m bench.delivery.judge DIR... [--seed 1] [--prompts 40] [--starts 10]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.delivery.vaults import Data, Vault

from memoria.agents.claude_code import transcript_store
from memoria.hooks import protocol, start_answer
from memoria.search import prompt_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.transcript import Transcript

REMOTE = '[remote "origin"]\n\turl = git@example.org:team/project.git\n'
# of what a session was about: enough to judge by
_PROMPT, _PROMPTS = 600, 8


class Session(NamedTuple):
    """A session of a folder: its file, its parts, and when it began and ended."""

    path: Path
    parts: list[Transcript]
    began: float
    ended: float


class Told(NamedTuple):
    """What a session was told: at its start, or with its prompt."""

    session: str
    prompt: str
    text: str
    about: str


def main() -> None:
    """Ask all sessions, and print a draw of what they were told."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", help="folders with projects/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prompts", type=int, default=40)
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    told = [row for folder in options.folders for row in _asked(folder)]
    draw = random.Random(options.seed)
    for is_start, most in ((False, options.prompts), (True, options.starts)):
        rows = [row for row in told if is_start is not bool(row.prompt)]
        said = [row for row in rows if row.text]
        print(
            f"\n{'=' * 80}\n{'starts' if is_start else 'prompts'}: {len(said)} of {len(rows)} told"
        )
        for row in draw.sample(said, min(most, len(said))):
            print(f"\n{'-' * 80}\nSESSION {row.session}\n{row.about}\nTOLD\n{row.text}")


def _asked(folder: Path) -> Iterator[Told]:
    with Vault(Data({}, [], [], ""), set()) as vault:
        repository = vault.home / "repository"
        (repository / ".git").mkdir(parents=True)
        (repository / ".git/config").write_text(REMOTE)
        vault.cwd = str(repository)
        for session in sessions(folder):
            yield _start(vault, session)
            for turn in (turn for part in session.parts for turn in part.turns):
                if prompt_match.is_typed(turn.prompt):
                    about = f"{_about(session)}\nASKED {turn.prompt[: 2 * _PROMPT]}"
                    text = vault.told(turn.prompt)
                    yield Told(session.path.stem, turn.prompt, text, about)
            _capture(vault, session)


def sessions(folder: Path) -> list[Session]:
    """Give the sessions of a folder that say something, in the order of time."""
    found = []
    for path in folder.glob("projects/*/*.jsonl"):
        parts = list(transcript_store.read(path))
        if parts and parts[0].turns:
            began, ended = parts[0].turns[0].at, parts[-1].turns[-1].until
            found.append(Session(path, parts, began.timestamp(), ended.timestamp()))
    return sorted(found, key=lambda session: (session.began, session.path.name))


def _start(vault: Vault, session: Session) -> Told:
    """Give what the session was told when it began, on its branch and at its time."""
    turns = [turn for part in session.parts for turn in part.turns]
    head = f"ref: refs/heads/{turns[0].branch}\n"
    (Path(vault.cwd) / ".git/HEAD").write_text(head)
    place = protocol.HookPlace(str(vault.home / "vault"), str(vault.state))
    clock: Any = SimpleNamespace(**vars(time) | {"time": lambda: session.began})
    vars(start_answer)["time"] = clock
    text = start_answer.build_context(place, f"start-{session.path.stem}", vault.cwd)
    vars(start_answer)["time"] = time
    return Told(session.path.stem, "", text, _about(session))


def _about(session: Session) -> str:
    """Say what a session was about: its branch, its first prompts, what it edited."""
    turns = [turn for part in session.parts for turn in part.turns]
    edited = dict.fromkeys(
        call.path for part in session.parts for call in part.calls if call.kind == "edit"
    )
    prompts = [f"PROMPT {turn.prompt[:_PROMPT]}" for turn in turns[:_PROMPTS]]
    files = f"EDITED {' '.join(edited)[:_PROMPT]}"
    return "\n".join([f"BRANCH {turns[0].branch}", *prompts, files])


def _capture(vault: Vault, session: Session) -> None:
    """Bring a session into the vault, as one of its repository."""
    text = session.path.read_text("utf-8")
    old = next((row["cwd"] for row in map(json.loads, text.splitlines()) if row.get("cwd")), "")
    copy = vault.home / ".claude/projects/p" / session.path.name
    copy.write_text(text.replace(old, vault.cwd) if old else text, "utf-8")
    os.utime(copy, (session.ended,) * 2)
    vault.run("import")
    vault.run("compile")


if __name__ == "__main__":
    main()
