"""A clean room with a vault and Memoria's hooks -> what of its sessions was kept, and where.

The loopback server plays two parts in it: it talks to the coding session, and it fills in the
forms of the flush and the compile with what stood in the prompt, so that a word that was typed can
be followed to the daily log. The trap: hooks start detached flushes; `settle` before you look.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path

from client import SCRIPTS, Room
from loopback import prompt_text, say, structured, task_of
from place import state_of

from memoria.vault import daily_log

# a check of a rule that no push is forced
FORCED = 'check: {occasion: {command: ["git push"]}, broken: {with: ["--force", "-f"]}}\n'
# What is asked in the sessions, and what comes of it: a word that is in no other, question, answer.
# They differ in all they say, since an engine joins what says the same.
_LINES = Path(__file__).with_name("talks.txt").read_text("utf-8").splitlines()
TALKS = {word: (asks, tells) for word, asks, tells in (line.split(" | ") for line in _LINES)}
INJECTED = re.compile(r"<memoria-(\w+)>.*?</memoria-\1>", re.DOTALL)
USER = re.compile(r"^U\d+\| (.*)", re.MULTILINE)
NOTHING = {"articles": [], "rules": []}
BEGINNING = 25  # characters of an answer: enough to know it by, and without any Markdown


def told(body):
    """Answer a session's last question; what Memoria told the session of earlier ones is none."""
    text = INJECTED.sub("", prompt_text(body))
    places = {text.rfind(question): answer for question, answer in TALKS.values()}
    return say(places[max(places)] if max(places) >= 0 else "ok")


def said(prompt):
    """Give the lines of a flush's prompt that are marked as the user's own words."""
    return USER.findall(prompt.rpartition("<<<")[2])


def form(*exchanges, statements=(), **more):
    """Make a flush's answer."""
    return {
        "worth_keeping": True,
        "title": "The cache that grows",
        "context": "The cache was looked into.",
        "exchanges": [{"text": text, "cites": [], "weight": 2} for text in exchanges],
        "decisions": [],
        "lessons": [],
        "actions": [],
        "drop": [],
        "closed": [],
        "statements": list(statements),
    } | more


def noted(body):
    """Fill in a flush's form: what the user said in the prompt's record becomes its exchanges."""
    return structured(form(*(f"{line} -> done" for line in said(prompt_text(body)))))


def answers(body):
    """Play all parts: the fallback of a server in most tests."""
    task = task_of(body)
    if task == "flush":
        return noted(body)
    return structured(NOTHING) if task else told(body)


class Keeper(Room):
    """A room whose sessions are kept: the vault is made and the hooks are installed."""

    def __init__(self, root, loop, engine="claude", *, installed=True, **extra):
        """`extra` are further variables of the environment, that of the hooks and flushes too."""
        super().__init__(root, loop.url)
        self.loop = loop
        self.engine = engine
        loop.fallback = answers
        self.vault = root / "vault"
        # a zone in which it is about noon: no midnight, and no compile of the evening, by chance
        noon = datetime.now(UTC).hour - 12
        self.extra = {"MEMORIA_ENGINE": engine, "MEMORIA_TIMEZONE": f"Etc/GMT{noon:+d}", **extra}
        if installed:
            self.do("install")

    def on_branch(self, name):
        """Make the project a repository on a branch: on a trunk no start tells of earlier work."""
        author = ("-c", "user.name=Ana", "-c", "user.email=ana@example.invalid")
        for words in (
            ("init", "-q", "-b", name),
            (*author, "commit", "-q", "--allow-empty", "-m", "Begin"),
        ):
            done = self.run("git", *words)
            assert done.returncode == 0, done.stderr

    @property
    def state(self):
        """The folder of the vault's state on this machine."""
        return state_of(self.vault, self.home)

    def memoria(self, *arguments):
        """Run a verb on the vault."""
        verb, *rest = arguments
        return super().memoria(verb, "--vault", str(self.vault), *rest)

    def do(self, *arguments):
        """Run a verb that is to end well; give what it said to the person."""
        done = self.memoria(*arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stderr

    def json(self, *arguments):
        """Run a verb with --json that is to end well; give what it printed."""
        done = self.memoria(*arguments, "--json")
        assert done.returncode == 0, (arguments, done.stderr)
        return json.loads(done.stdout)

    def checks(self):
        """Run the doctor; give its exit code and its checks by their names."""
        done = self.memoria("doctor", "--json")
        found = json.loads(done.stdout)["checks"]
        return done.returncode, {check["name"]: check for check in found}

    def flush(self, *arguments):
        """Drain the spool; give the exit code and what --json says."""
        done = self.memoria("flush", "--json", *arguments)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def guard(self, rule, check, *options):
        """Make a rule of the person's with a check, and switch its guard on; give id and talk."""
        name = self.json("remember", rule, "--global")["id"]
        (note,) = (self.vault / "knowledge" / "rules").glob("*.md")
        text = re.sub(r"(?m)^check:\n(?:  .*\n)+", "", note.read_text(encoding="utf-8"))
        note.write_text(text.replace("---\n", f"---\n{check}", 1), encoding="utf-8")
        return name, self.do("guard", "on", name, *options)

    def kept(self):
        """Wait for the detached flushes and see that they have left nothing to do."""
        self.settle(60)
        assert self.waiting() == [], self.log("flush.log")

    # -- What is there ----------------------------------------------------------------------------

    def _blocks(self):
        for path in sorted((self.vault / "daily").glob("????-??-??.md")):
            text, day = path.read_text(encoding="utf-8"), date.fromisoformat(path.stem)
            yield from ((block, text) for block in daily_log.parse_blocks(text, day))

    def entries(self):
        """Give the blocks of all daily logs."""
        return [block for block, _ in self._blocks()]

    def texts(self):
        """Give the text of each entry."""
        return [text[block.start : block.end] for block, text in self._blocks()]

    def ledger(self, kind):
        """Give the ledger's records of a kind."""
        path = self.state / "ledger.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [record for line in lines if (record := json.loads(line))["kind"] == kind]

    def jobs(self, state="new"):
        """Give the jobs' files in a folder of the spool."""
        return sorted((self.state / "spool" / state).glob("*.json"))

    def waiting(self):
        """Give the jobs that are not done."""
        return [
            json.loads(path.read_text(encoding="utf-8"))
            for state in ("new", "claimed", "dead")
            for path in self.jobs(state)
        ]

    def log(self, name):
        """Give a log of the hooks or of the detached flushes, "" where there is none."""
        path = self.state / "logs" / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def note(self, name):
        """Give a file of the vault."""
        return (self.vault / name).read_text(encoding="utf-8")

    def forms(self, task="flush"):
        """Give the prompts of the forms that the server was asked to fill in."""
        return [prompt_text(body) for body in self.loop.bodies if task_of(body) == task]

    def delivered_once(self, *words, parts, sessions=1):
        """See that each word is in one entry, each turn in one part, and none asked about twice."""
        texts = self.texts()
        assert len(texts) == parts, texts
        for word in words:
            assert [word in text for text in texts].count(True) == 1, (word, texts)
        records = self.ledger("session")
        turns = [turn for record in records for turn in record["turns"]]
        assert len(turns) == len(set(turns)) >= len(words)  # a command is a turn as well
        assert len({record["session"] for record in records}) == sessions
        asked_about = [" ".join(said(prompt)) for prompt in self.forms()]
        for word in words if self.engine == "claude" else ():
            assert [word in text for text in asked_about].count(True) == 1, word

    # -- What time does ---------------------------------------------------------------------------

    def idle(self):
        """Make the transcripts as old as if nothing had been written for an hour."""
        then = time.time() - 3600
        for path in self.transcripts():
            os.utime(path, (then, then))
        installed = self.state / "installed.json"
        installed.write_text(json.dumps({"since": then - 1}), encoding="utf-8")

    def aged(self, hours):
        """Make the waiting jobs as old as if their sessions had ended so long ago."""
        for path in self.jobs():
            job = json.loads(path.read_text(encoding="utf-8"))
            job |= {"at": job["at"] - hours * 3600, "not_before": 0.0}
            path.write_text(json.dumps(job), encoding="utf-8")
            number, rest = path.name.split("-", 1)
            name = f"{int(number) - int(hours * 3600e9):020d}-{rest}"
            link = path.with_suffix(".jsonl")
            if link.exists():
                link.rename(link.with_name(name).with_suffix(".jsonl"))
            path.rename(path.with_name(name))

    def bytes_under(self, folder):
        """Give the content of all files under a folder, hidden ones too."""
        return b"\0".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())

    def patched(self, code):
        """Run code at the start of each flush, in the environment that a hook leaves it."""
        folder = self.root / "site"
        folder.mkdir(exist_ok=True)
        program = folder / "python"
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(folder))} exec {sys.executable} "$@"\n'
        )
        program.chmod(0o755)
        # the next flush is started with what this one calls its interpreter
        preface = f"import sys\nsys.executable = {str(program)!r}\n"
        preface += f"sys.path.insert(0, {str(SCRIPTS)!r})\n"
        (folder / "sitecustomize.py").write_text(preface + code, encoding="utf-8")
        path = self.state / "hooks.json"
        snapshot = json.loads(path.read_text(encoding="utf-8"))
        snapshot["command"][0] = str(program)
        path.write_text(json.dumps(snapshot), encoding="utf-8")
