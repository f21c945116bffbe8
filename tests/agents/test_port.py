"""Another agent's transcripts: five methods, and everything behind them works as it is."""

from datetime import UTC, datetime, timedelta

from memoria.agents.session_file_store import Found
from memoria.agents.transcript import Say, Transcript, Turn
from memoria.capture.service import Capture
from memoria.llm.port import Offline

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Notebook:
    """An agent that keeps a session as lines `who: text`, a turn a user's line."""

    name = "notebook"

    def found(self, folder):
        for path in sorted(folder.glob("*.chat")):
            yield Found(path, path.stem, path.stat().st_mtime, path.stat().st_size)

    def last_moment(self, path):
        return START.isoformat()

    def read(self, path, *, start=0, **_):
        data = path.read_bytes()
        turns = []
        for number, line in enumerate(data[start:].decode().splitlines()):
            who, _, text = line.partition(": ")
            at = START + timedelta(minutes=start + number)
            if who == "user":
                turns.append((text, at, []))
            else:
                turns[-1][2].append(Say(text, at))
        found = tuple(
            Turn(f"{path.stem}-{start}-{number}", at, at, prompt, "", tuple(steps))
            for number, (prompt, at, steps) in enumerate(turns)
        )
        if found:
            yield Transcript(path.stem, "/home/ana/shop", "", found, start, len(data))

    def extends(self, path, offset, tail):
        return tail == self.tail_hash(path, offset)

    def tail_hash(self, path, offset):
        return path.read_bytes()[:offset][-20:].hex()


def test_its_sessions_become_entries_and_only_what_is_new(place, tmp_path):
    place.run("init")
    chat = tmp_path / "s-1.chat"
    chat.write_text(
        "user: Why does the token check fail? From now on always run make test before a commit.\n"
        "agent: The token check fails because the clock is local. I fixed it in tokens.py.\n"
    )
    agent = Notebook()
    work = place.work
    (found,) = agent.found(tmp_path)
    for _ in range(2):  # a second time there is nothing new
        capture = Capture(work.vault, work.settings, Offline(), work.spool, agent)
        for part in capture.parts(found.path):
            capture.deliver([capture.entry(part)])
    assert [record["session"] for record in place.ledger("session")].count("s-1") == 1
    assert "token check" in place.log()
