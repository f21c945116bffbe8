"""Disks that take nothing, as they are: mounted in a namespace of the test's own.

What a user is told there: by doctor with exit code 1, and by the next session's start in one line.
Permissions would not do: root, as which many tests run, may write all the same.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from place import debugging

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# "$1" is the folder, "$2" an empty one; both are mounted over for what follows alone
READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'
FULL = (
    'mount -t tmpfs -o size=8m tmpfs "$2" && cp -a "$1/." "$2/" && mount --bind "$2" "$1" && '
    '{ head -c 16m /dev/zero >"$1/fill" 2>/dev/null; true; }'
)


@cache
def can_mount():
    if not shutil.which("unshare"):
        return False
    words = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not can_mount(), reason="no disk can be mounted here")


class Desk:
    """An installed vault, and programs that see one of its folders on another disk."""

    def __init__(self, place):
        self.place = place
        self.spare = place.root / "spare"
        self.spare.mkdir()
        assert place.run("install")[0] == 0
        place.transcript("s-1", *debugging())
        place.run("import")

    def on(self, mounts, folder, *words, stdin=b"", complains=False):
        """Run a program where that folder is such a disk; give exit code and output."""
        script = f'{mounts} && shift 2 && exec "$@"'
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", script, "sh", folder, self.spare, *words],
            input=stdin,
            capture_output=True,
            env={
                "HOME": str(self.place.home),
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(SCRIPTS),
                "MEMORIA_ENGINE": "offline",
            },
            check=False,
        )
        assert bool(done.stderr) == complains
        return done.returncode, done.stdout.decode()

    def doctor(self, mounts, folder):
        return self.on(mounts, folder, sys.executable, "-m", "memoria", "doctor")

    def start(self, mounts, folder):
        """Start a session as the client does; give Memoria's lines about itself."""
        settings = json.loads((self.place.home / ".claude" / "settings.json").read_text())
        (hook,) = settings["hooks"]["SessionStart"][0]["hooks"]
        event = {"session_id": "s-2", "cwd": "/", "source": "startup"}
        data = json.dumps(event).encode()
        code, out = self.on(mounts, folder, "/bin/sh", "-c", hook["command"], stdin=data)
        assert code == 0
        context = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
        return re.findall(r"^Memoria: .*", context, re.MULTILINE)


@pytest.fixture
def desk(place):
    return Desk(place)


CASES = {
    "read-only vault": (READ_ONLY, "vault", "mount it writable", "read-only"),
    "full disk of the vault": (FULL, "vault", "free some space", "the disk is full"),
    "read-only state": (READ_ONLY, "state", "mount it writable", "Read-only file system"),
    "full disk of the state": (FULL, "state", "free some space", "No space left on device"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_disk_that_takes_nothing_is_told_by_doctor_and_at_the_next_start(desk, case):
    mounts, name, mend, why = CASES[case]
    vault, state = desk.place.vault, desk.place.work.vault.state.root
    folder = state if name == "state" else vault
    code, out = desk.doctor(mounts, folder)
    assert code == 1
    (line,) = re.findall(r"^NO  (.*)", out, re.MULTILINE)
    assert line.startswith(f"writing: {folder}")
    assert line.endswith(
        f"so nothing is captured; the disk is {line.rpartition('the disk is ')[2]}"
    )
    assert mend in line
    (said,) = desk.start(mounts, folder)
    assert said.startswith(f"Memoria: nothing is captured, because {folder}")
    assert "cannot be written to" in said
    assert "Tell the user to run `memoria doctor`." in said
    assert why in said or folder == vault  # the state may lie in the vault
    # and when the disk is well again, all is; a full one is a copy, which leaves nothing behind
    if mounts == READ_ONLY:
        assert desk.doctor("true", folder)[0] == 0
        assert desk.start("true", folder) == []


def test_what_a_read_only_vault_did_not_take_comes_in_when_it_is_writable(desk):
    place = desk.place
    found = place.transcript("s-3", *debugging("the cache", at=60))
    place.work.spool.add(found, "s-3", "SessionEnd")
    flush = [sys.executable, "-m", "memoria", "flush", "--quiet"]
    for _ in range(2):  # sessions, each with its flush
        assert desk.on(READ_ONLY, place.vault / "daily", *flush, complains=True)[0] == 3
    assert place.log().count("### Session") == 1
    assert place.run("flush")[0] == 0
    assert place.log().count("### Session") == 2
    assert all(one["ok"] for one in place.json("doctor")["checks"])
