"""A home with a Claude Code projects folder and a vault, and Memoria's command line on it."""

import json
from dataclasses import dataclass
from pathlib import Path

from transcript_lines import assistant, encode, result, say, tool, user

from memoria import settings
from memoria.cli.decide import trust
from memoria.cli.main import main
from memoria.refresh import refresh
from memoria.terminal_driver import Driver
from memoria.vault.storage.registry import Registry
from memoria.workspace import workspace

# who drives the verbs: what a test says, as most run where no person sits
PERSON, AGENT = Driver(), Driver("CLAUDECODE is set in bash (7)")


def state_of(vault, home=None):
    """Say where this machine's state of a registered vault lies; `home` is another one's."""
    found = Registry(home and Path(home) / ".local/state/memoria").state(Path(vault))
    assert found, f"{vault} is not registered"
    return found


@dataclass
class Place:
    root: Path
    capsys: object
    driver: Driver = PERSON

    @property
    def home(self):
        return self.root / "home"

    @property
    def vault(self):
        return self.root / "vault"

    @property
    def projects(self):
        return self.home / ".claude" / "projects"

    @property
    def work(self):
        return workspace(settings.load(str(self.vault)), quiet=True, driver=self.driver)

    def run(self, *arguments):
        """Run a verb on the vault; give exit code, stdout, stderr."""
        verb, *rest = arguments
        try:
            code = main([verb, "--vault", str(self.vault), *rest], driver=self.driver)
        except SystemExit as error:  # argparse ends the process for wrong use
            code = error.code
        out, err = self.capsys.readouterr()
        return code, out, err

    def demo(self):
        """Make the demo vault; give the place that it is, with the same home."""
        found = Demo(self.root, self.capsys)
        code, _, err = found.run("demo")
        assert code == 0, err
        return found

    def json(self, *arguments):
        """Run a verb with --json; give what it printed."""
        _, out, _ = self.run(*arguments, "--json")
        return json.loads(out)

    def adopt(self):
        """Take all notes for the person's own, as they would with `memoria trust`."""
        work = self.work
        trust.adopt(work, trust.waiting(work))
        refresh(work)

    def transcript(self, session, *lines, project="-home-ana-shop"):
        """Write a transcript where the client would; give its path."""
        path = self.projects / project / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(encode(one | {"sessionId": session}) for one in lines))
        return path

    def log(self, day="2026-03-02"):
        return (self.vault / "daily" / f"{day}.md").read_text(encoding="utf-8")

    def ledger(self, kind=""):
        text = (state_of(self.vault) / "ledger.jsonl").read_text(encoding="utf-8")
        records = [json.loads(line) for line in text.splitlines()]
        return [record for record in records if kind in ("", record["kind"])]

    def files(self):
        """Give the content of every note of the vault."""
        found = sorted((self.vault / "daily").rglob("*.md"))
        found += sorted((self.vault / "knowledge").rglob("*.md"))
        return {str(path.relative_to(self.vault)): path.read_bytes() for path in found}


class Demo(Place):
    """The same home with the demo vault in the place of the person's own."""

    @property
    def vault(self):
        return self.home / "memoria-demo"


def debugging(about="the token check", at=0, rule=""):
    """Lines of a session in which something was asked, failed, was explained, fixed, committed."""
    commit = (
        f"git commit -m 'Compare expiry in UTC for {about}' "
        "-m 'The old code compared a local time with a UTC one, so tokens looked expired early.'"
    )
    return (
        user(f"Why does {about} fail for users east of Greenwich? {rule}".strip(), at),
        assistant(tool(f"t1-{at}", command="pytest tests/test_tokens.py"), at=at + 1),
        result(
            f"t1-{at}",
            "Exit code 1\nE   ValueError: can't compare offset-naive and offset-aware datetimes",
            at + 2,
            error=True,
        ),
        say("I read the module that checks tokens.", at + 3),
        assistant(
            tool(
                f"t2-{at}",
                "Edit",
                file_path="/home/ana/shop/tokens.py",
                old_string="expiry = datetime.now()",
                new_string="expiry = datetime.now(UTC)",
            ),
            at=at + 4,
        ),
        result(f"t2-{at}", "The file was updated.", at + 5),
        assistant(tool(f"t3-{at}", command="pytest tests/test_tokens.py"), at=at + 6),
        result(f"t3-{at}", "12 passed", at + 7),
        assistant(tool(f"t4-{at}", command=commit), at=at + 8),
        result(f"t4-{at}", f"[main abc{at:04d}] Compare expiry in UTC for {about}", at + 9),
        say(
            f"The root cause: `tokens.py` compared a local time with a UTC expiry for {about}, so "
            "every session token looked expired two hours early. The fix compares both in UTC.",
            at + 10,
        ),
    )
