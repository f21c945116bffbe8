import os
import shutil
from itertools import count
from pathlib import Path

import pytest
import steps
from cases import cased

from memoria.errors import VaultError
from memoria.vault.storage import disk, journal
from memoria.vault.storage.journal import Append, Journal, Write, WriteScope

pytestmark = steps.forking

OLD = {"a.md": b"old a\n", "b/b.md": b"old b, and longer\n", "ledger.jsonl": b'{"old": 1}\n'}
NEW = {
    "a.md": b"new a, which is longer than the old one\n",
    "b/b.md": b"new\n",
    "c/d/c.md": b"made\n",
    "ledger.jsonl": b'{"old": 1}\n{"new": 2}\n',
}


class World:
    """A vault of a few files with a journal beside it."""

    def __init__(self, root):
        self.root = root
        self.vault = root / "vault"
        for name, data in OLD.items():
            disk.make_folder((self.vault / name).parent)
            (self.vault / name).write_bytes(data)
        self.journal = self.opened()

    def opened(self):
        scope = WriteScope(self.vault, self.root / "state")
        return Journal(self.root / "state" / "journal", scope)

    def path(self, name):
        return self.vault / name

    def changes(self):
        writes = [
            Write(self.path(name), data, disk.sha(OLD[name]) if name in OLD else "")
            for name, data in NEW.items()
            if name != "ledger.jsonl"
        ]
        return [*writes, Append(self.path("ledger.jsonl"), b'{"new": 2}\n')]

    def commit(self, label=""):
        self.journal.commit(self.changes(), label=label)

    def files(self):
        found = (path for path in self.vault.rglob("*") if path.is_file())
        return {str(path.relative_to(self.vault)): path.read_bytes() for path in found}

    def is_settled(self):
        """Whether no trace is left of a transaction that is not over."""
        return not self.journal.pending


@pytest.fixture
def worlds(tmp_path):
    numbers = count()
    return lambda: World(tmp_path / str(next(numbers)))


@pytest.fixture
def world(worlds):
    return worlds()


@pytest.mark.parametrize(
    ("way", "label"), [*((way, "") for way in steps.WAYS), ("kill", "compile")]
)
def test_a_stop_at_any_step_leaves_all_old_or_all_new(worlds, way, label, monkeypatch):
    monkeypatch.setattr(journal, "_KEPT_STEPS", 1)
    ends = set()

    def made():
        world = worlds()
        # an earlier step that can be taken back, which the next one drives out
        world.journal.commit([Write(world.path("x.md"), b"x\n", "")], label="compile")
        return world

    def check(world, ended):
        assert ended.how in ({"killed"} if way in {"kill", "torn"} else {"refused", "done"})
        world.opened().recover()
        found = world.files()
        assert found.pop("x.md") == b"x\n"
        assert found in (OLD, NEW), ended
        assert found == NEW or ended.how != "done"
        assert world.is_settled()
        assert world.journal.conflicts() == []
        if ended.how == "refused":
            assert ended.said.startswith("cannot write /")
        ends.add(found == NEW)

    def done(world):
        assert world.files() == NEW | {"x.md": b"x\n"}
        assert world.is_settled()

    taken = steps.each(made, lambda world: world.commit(label), way, check, done)
    assert ends == {True, False}
    assert taken > 30  # four files: blobs, record, replacements, clean-up


@pytest.mark.parametrize("way", steps.WAYS)
def test_a_stop_at_any_step_of_the_recovery_is_recovered_from(worlds, way):
    def made():
        world = worlds()
        # dies when the record is there and nothing is replaced yet
        ended = steps.run(world.commit, when=lambda name, args: _is(args, "a.md", name))
        assert ended.how == "killed"
        return world

    def check(world, ended):
        world.opened().recover()
        assert world.files() == NEW
        assert world.is_settled()

    steps.each(made, lambda world: world.journal.recover(), way, check, lambda world: None)


def _is(args, ending, name="replace"):
    return name == "replace" and str(args[1]).endswith(ending)


def dead_after_commit(world, changes=None, before="a.md"):
    """Commit in a process that dies before the file of that name is replaced."""
    ended = steps.run(
        lambda: world.journal.commit(changes or world.changes()),
        when=lambda name, args: _is(args, before, name),
    )
    assert ended.how == "killed"


def test_an_edit_between_commit_and_roll_forward_stays_and_ours_is_put_aside(world):
    dead_after_commit(world)
    world.path("a.md").write_bytes(b"a person's\n")
    world.path("b/b.md").unlink()
    assert world.journal.recover() == 1
    expected = NEW | {"a.md": b"a person's\n"}
    del expected["b/b.md"]
    assert world.files() == expected
    aside = {path.name.partition("-")[2]: path.read_bytes() for path in world.journal.conflicts()}
    assert aside == {"a.md": NEW["a.md"], "b.md": NEW["b/b.md"]}
    assert world.is_settled()


def test_what_is_put_aside_is_never_replaced_by_another_file_of_that_name(world):
    for text in (b"one\n", b"two\n", b"one\n"):
        changes = [
            Write(world.path(f"{folder}/x.md"), folder.encode() + text, "") for folder in "pq"
        ]
        dead_after_commit(world, changes, before="p/x.md")
        for folder in "pq":
            disk.replace(world.path(f"{folder}/x.md"), b"a person's\n")
        world.journal.recover()
        shutil.rmtree(world.path("p"))
        shutil.rmtree(world.path("q"))
    kept = sorted(path.read_bytes() for path in world.journal.conflicts())
    assert kept == [b"pone\n", b"ptwo\n", b"qone\n", b"qtwo\n"]


@cased()
def test_the_ledger_is_added_to_once_whatever_the_dead_process_had_written(world, there, then):
    dead_after_commit(world)
    world.path("ledger.jsonl").unlink()
    if there is not None:
        world.path("ledger.jsonl").write_bytes(there)
    world.journal.recover()
    assert world.files() == NEW | {"ledger.jsonl": then}
    assert world.journal.recover() == 0
    assert world.files() == NEW | {"ledger.jsonl": then}


def test_a_damaged_record_is_named(world):
    dead_after_commit(world)
    (entry,) = (world.root / "state" / "journal" / "open").iterdir()
    (entry / "COMMIT").write_bytes(b'{"steps"')
    with pytest.raises(VaultError, match=r"COMMIT is damaged; move .*00000001 away"):
        world.journal.recover()


def test_what_is_written_is_for_this_user_alone(world):
    world.commit("compile")
    modes = {path.stat().st_mode & 0o777 for path in world.root.joinpath("state").rglob("*")}
    assert modes == {0o600, 0o700}
    assert world.path("c/d/c.md").stat().st_mode & 0o777 == 0o600
    assert world.path("c/d").stat().st_mode & 0o777 == 0o700


def flushed(monkeypatch, work):
    """Note what is renamed, deleted and flushed, in this order."""
    events = []

    def noted(name, real, words):
        def call(*args, **names):
            events.append((name, *words(*args)))
            return real(*args, **names)

        return call

    def file(handle):
        return [str(Path(f"/proc/self/fd/{handle}").readlink())]

    monkeypatch.setattr(os, "fsync", noted("fsync", lambda handle: None, file))
    monkeypatch.setattr(os, "replace", noted("replace", os.replace, lambda a, b: [str(a), str(b)]))
    monkeypatch.setattr(os, "unlink", noted("unlink", os.unlink, lambda a, **_: [str(a)]))
    work()
    return events


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="asks Linux for a handle's path")
@pytest.mark.parametrize("label", ["", "compile"])
def test_a_power_cut_finds_on_the_disk_what_the_next_step_builds_on(world, monkeypatch, label):
    events = flushed(monkeypatch, lambda: world.commit(label))
    entry = str(world.root / "state" / "journal" / "open" / "00000001")
    at = {event: index for index, event in reversed(list(enumerate(events)))}
    commit = next(i for i, event in enumerate(events) if event[-1] == f"{entry}/COMMIT")
    replaced = [i for i, event in enumerate(events) if event[-1].startswith(str(world.vault))]
    # the new contents, and that they and their folder are there, before the record
    blobs = [at[("fsync", f"{entry}/{number}.new")] for number in range(4)]
    assert max(*blobs, at[("fsync", str(Path(entry).parent))]) < commit
    assert any(event == ("fsync", entry) for event in events[max(blobs) : commit])
    # the record before anything is replaced
    first = min(i for i in replaced if events[i][0] == "replace")
    assert any(event == ("fsync", entry) for event in events[commit:first])
    # what was replaced, its folders and the ledger before the record goes
    leaving = ("replace", entry) if label else ("unlink", f"{entry}/COMMIT")
    gone = next(i for i, event in enumerate(events) if i > commit and event[:2] == leaving)
    for path in (world.vault, world.path("b"), world.path("c/d"), world.path("ledger.jsonl")):
        assert any(event == ("fsync", str(path)) for event in events[first:gone]), path
    # that it went before a later change of the same files
    folders = [Path(entry).parent, Path(entry).parents[1] / "done"] if label else [entry]
    assert {("fsync", str(path)) for path in folders} <= set(events[gone:])
