"""A world after its processes were killed -> what of Memoria's promises is broken, one line each.

First only what the journal owes is done (it finishes what was committed), and the vault has to be
whole as it stands: nobody has worked on it again, which would cover up what was half done. Then one
flush and one compile, and everything that was acknowledged has to be there, once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

from bench.torture.workers import MARK, marked

from memoria import refresh
from memoria.compile.project_page import is_ours
from memoria.errors import VaultError
from memoria.rules.rulebook import read_approvals
from memoria.vault import index
from memoria.vault.article_store import ArticleStore
from memoria.vault.storage import disk, ledger_records as records
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bench.torture.world import World

    from memoria.workspace import Workspace

# older than any work that still goes on: what is left of a dead process is tidied after an hour
_AGED = 2 * 3600


def audit(world: World) -> list[str]:
    """Recover, look, go on as usual, look again; give the broken promises."""
    work = world.work()
    whole = _recovered(world, work) + _all(_WHOLE, world, work)
    if (world.state / "forget.json").exists() and world.run("forget", "--yes") != 0:
        whole.append("forgotten: what was begun cannot be finished")
    _age(world)
    for words in (("compile",), ("promote", "--dir", str(world.project)), ("flush",)):
        world.run(*words)
    work = world.work()
    work.spool.tidy(time.time() + _AGED)
    return [*whole, *_all(_COMPLETE, world, work)]


def _recovered(world: World, work: Workspace) -> list[str]:
    try:
        with work.vault.open_transaction():
            return []
    except VaultError as error:
        # nothing could be written any more; what else is broken is to be seen as well
        shutil.rmtree(world.state / "journal" / "open")
        return [f"recovered: {error}"]


def _all(
    checks: tuple[Callable[[World, Workspace], Iterator[str]], ...], world: World, work: Workspace
) -> list[str]:
    found = []
    for check in checks:
        name = check.__name__.strip("_")
        try:
            found += [f"{name}: {line}" for line in check(world, work)]
        except Exception as error:  # noqa: BLE001 - what cannot be looked at is broken, too
            found.append(f"{name}: {type(error).__name__}: {error}")
    return found


def _age(world: World) -> None:
    then = time.time() - _AGED
    for path in world.root.rglob("*.tmp"):
        os.utime(path, (then, then))


# -- Whole as it stands ---------------------------------------------------------------------------


def _settled(_: World, work: Workspace) -> Iterator[str]:
    if work.vault.journal.pending:
        yield "a transaction is left open"


def _untorn(world: World, work: Workspace) -> Iterator[str]:
    if work.vault.history().damaged:
        yield f"{work.vault.history().damaged} lines of the ledger are no records"
    yield from work.vault.articles.unreadable.values()
    for path in world.state.rglob("*.json"):
        try:
            json.loads(path.read_bytes())
        except ValueError as error:
            yield f"{path.name} is torn: {error}"
    for path in world.state.glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as base:
            said = base.execute("PRAGMA integrity_check").fetchone()[0]
            if said != "ok":
                yield f"{path.name}: {said}"


def _ledger(world: World) -> list[dict[str, Any]]:
    text = (world.state / "ledger.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _standing(world: World) -> list[dict[str, Any]]:
    """Give the records that count: of no step that was taken back, and no tombstones."""
    found = _ledger(world)
    standing = records.remove_undone_records(found, records.find_undone_steps(found))
    return [one for one in standing if not one.get("tombstone")]


def _sessions(world: World, work: Workspace) -> Iterator[str]:
    """An entry, its record and its extract come together."""
    told = {one["entry"] for one in _standing(world) if one["kind"] == "session" and one["entry"]}
    written = _entries(work)
    if told != set(written):
        yield f"the ledger and the logs differ by {sorted(told ^ set(written))[:3]}"
    kept = {path.stem for path in work.vault.state.extracts.glob("*.json")}
    if told - kept:
        yield f"extracts are missing: {sorted(told - kept)[:3]}"


def _entries(work: Workspace) -> Counter[str]:
    texts = (path.read_text(encoding="utf-8") for path in work.vault.daily.glob("20*.md"))
    return Counter(name for text in texts for name in re.findall(r"(?m)^\^(e-\w+)$", text))


def _notes(world: World, work: Workspace) -> Iterator[str]:
    """A note is as the ledger says that it was written, unless a person has added to it.

    A project's page says so itself, by the hash in its frontmatter.
    """
    written, articles = work.vault.history().written, work.vault.articles
    for path in world.vault.glob("knowledge/*/*.md"):
        name = path.relative_to(world.vault / "knowledge").as_posix().removesuffix(".md")
        data = path.read_bytes()
        is_recorded = written.get(name) == disk.sha(data) or is_ours(articles[name])
        if not is_recorded and MARK.encode() not in data:
            yield f"{name} is not as it was recorded"


def _index(_: World, work: Workspace) -> Iterator[str]:
    shelf = ArticleStore(work.vault.knowledge, work.vault.schema)
    derived = index.render_index((shelf[path] for path in shelf), work.vault.schema)
    if (work.vault.knowledge / "index.md").read_text(encoding="utf-8") != derived:
        yield "the index is not that of the articles"


def _operations(world: World, work: Workspace) -> Iterator[str]:
    """Each compile and query that the ledger has stands in log.md, and the other way round."""
    text = (work.vault.knowledge / "log.md").read_text(encoding="utf-8")
    told = Counter(re.findall(r"^## \[\S+\] (compile|query|lint) ", text, re.MULTILINE))
    made = Counter(one["kind"] for one in _ledger(world))
    asked = Counter(one.get("task") for one in _ledger(world) if one["kind"] == "call")
    for name, count in (("compile", made["compile"]), ("query", asked["query"])):
        if told[name] != count:
            yield f"{count} records of {name}, {told[name]} entries of log.md"


def _decisions(world: World, work: Workspace) -> Iterator[str]:
    """What was decided last about a rule is what is approved here."""
    approvals = read_approvals(work.vault.state)
    last = {one["id"]: one for one in _standing(world) if one["kind"] == "rule"}
    for name, one in last.items():
        if one["status"] == "active":
            if name not in approvals or approvals[name].hash != one["hash"]:
                yield f"{name} was approved and is not"
        elif name in approvals:
            yield f"{name} was {one['status']} and is approved"


def _promoted(world: World, work: Workspace) -> Iterator[str]:
    """The ledger never says less than the file holds, and the file is whole."""
    text = (world.project / "CLAUDE.md").read_text(encoding="utf-8")
    if text.count("<!-- memoria:begin") != text.count("<!-- memoria:end"):
        yield "a mark is missing in CLAUDE.md"
    held = work.vault.history().records_of("promote")
    told = set(held[-1]["ids"]) if held else set()
    found = set(re.findall(r"\b(?:arch|wf|tool|dk)-[0-9a-f]{10}\b", text))
    if found - told:
        yield f"CLAUDE.md holds more than the ledger says: {sorted(found - told)[:3]}"


_WHOLE = (
    _settled,
    _untorn,
    _sessions,
    _notes,
    _index,
    _operations,
    _decisions,
    _promoted,
)


# -- Complete after a flush -----------------------------------------------------------------------


def _captured(world: World, work: Workspace) -> Iterator[str]:
    captures = [one for one in _standing(world) if one["kind"] == "session"]
    leaving = {*world.acknowledged("forgetting")}
    there = _entries(work)
    by_session = Counter(one["session"] for one in captures if one["entry"])
    entry_of = {one["session"]: one["entry"] for one in captures}
    for name in world.acknowledged("session"):
        count = there[entry_of.get(name, "")]
        if name in leaving and count == by_session[name] == 0:
            continue
        if count != 1 or by_session[name] != 1:
            yield f"session {name} is {count} times in the logs, {by_session[name]} in the ledger"
    twice = [name for name, count in there.items() if count > 1]
    if twice:
        yield f"entries are there twice: {twice[:3]}"


def _rewarded(world: World, _: Workspace) -> Iterator[str]:
    there = Counter(one.get("context") for one in _ledger(world) if one["kind"] == "reward")
    for key in world.acknowledged("reward"):
        if there[key] != 1:
            yield f"the reward {key} is there {there[key]} times"


def _taught(world: World, work: Workspace) -> Iterator[str]:
    notes = work.vault.knowledge.glob("rules/*.md")
    texts = [path.read_text(encoding="utf-8") for path in notes]
    for text in world.acknowledged("remember"):
        words = text.removesuffix(".")
        if not any(words in one for one in texts):
            yield f"the rule {words!r} is lost"


def _forgotten(world: World, work: Workspace) -> Iterator[str]:
    """Of what was forgotten no byte is left, whatever else went on at the time."""
    own = (world.vault, world.project)
    files = [path for root in own for path in root.rglob("*") if path.is_file()]
    texts = {path: path.read_bytes() + path.name.encode() for path in files}
    for name in dict.fromkeys(world.acknowledged("forgot")):
        left = [_short(world, path) for path, data in texts.items() if name.encode() in data]
        if left:
            yield f"{name} is still in {left[:3]}"
    if (world.state / "forget.json").exists():
        yield "the intention is left"
    del work


def _undone(world: World, work: Workspace) -> Iterator[str]:
    gone = work.vault.history().undone
    for name in world.acknowledged("undone"):
        if name not in gone:
            yield f"the step {name} is back"


def _persons(world: World, work: Workspace) -> Iterator[str]:
    aside = [path.read_text(encoding="utf-8") for path in work.vault.journal.conflicts()]
    kept = {key for text in aside for key in marked(text)}
    notes = {one: one.read_text(encoding="utf-8") for one in world.vault.glob("knowledge/*/*.md")}
    texts: dict[str, Counter[str]] = {}
    for line in world.acknowledged("line"):
        key, _, name = line.partition(" ")
        if name not in texts:
            path = world.root / name
            if not path.exists():  # renamed, as its name was of what was forgotten
                path = next((one for one in notes if key in marked(notes[one])), path)
            texts[name] = Counter(marked(path.read_text(encoding="utf-8")))
        if texts[name][key] != 1:
            where = "put aside" if key in kept else "lost"
            yield f"the person's line {key} is {texts[name][key]} times in {name} ({where})"


def _emptied(world: World, work: Workspace) -> Iterator[str]:
    left = [path for path in work.vault.state.spool.rglob("*") if path.is_file()]
    left += world.root.rglob("*.tmp")
    left += work.vault.journal.conflicts()
    if left:
        yield f"{len(left)} files are left: {[_short(world, path) for path in left[:3]]}"


def _short(world: World, path: Path) -> str:
    return path.relative_to(world.root).as_posix()


def _derived(_: World, work: Workspace) -> Iterator[str]:
    """What is derived is up to date, and comes back to the same bytes."""
    state = work.vault.state
    derived = [state.bandit, state.snapshot, *sorted(state.injections.glob("*.json"))]
    before = {path: path.read_bytes() for path in derived}
    for path in derived:
        path.unlink()
    refresh.refresh(work)
    for path, data in before.items():
        if not path.exists() or path.read_bytes() != data:
            yield f"{path.name} does not come back to the same bytes"
    again = encode_json(work.vault.history().state())
    if state.summary.read_bytes() != again:
        yield "state.json is not that of the ledger"


_COMPLETE = (
    _settled,
    _untorn,
    _captured,
    _rewarded,
    _taught,
    _forgotten,
    _undone,
    _persons,
    _emptied,
    _derived,
)
