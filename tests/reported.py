"""A vault with a history made up for reports: sessions, coins, mistakes, rules, rewards, calls."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from place import state_of
from ruled import keep, made

from memoria.evidence import experiment as experiments
from memoria.llm.requests import Cost, Reply
from memoria.vault.entry import NO_TURN, Mistake, Resolution
from memoria.vault.storage import history as records
from memoria.vault.storage.history import Capture, Watermark

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SHOP, MAPS = "github.com/ana/shop", "github.com/ana/trailmap"
TEXTS = (
    "Run the migrations before the tests of the api",
    "Never force push to main",
    "Use the factory in tests instead of the real client",
    "Ask before adding a dependency",
    "Always run the linter before you commit",
    "Put new endpoints behind the feature flag",
    "Keep the ports of the services in settings.py",
    "Write the changelog entry in the same commit",
)
ERRORS = (
    ("RuntimeError: TEST_DATABASE_URL is not set", "export TEST_DATABASE_URL before the tests"),
    ("error TS2532: Object is possibly 'undefined'", "- const id = user.id\n+ const id = user?.id"),
    ("String to replace not found in file", "read the file first"),
    ("ModuleNotFoundError: No module named 'paywire'", ""),
    (
        "E501 Line too long (112 > 100)",
        "- total = compute(a, b, c)\n+ total = compute(\n+     a, b, c",
    ),
    ("No, use the factory in this test", ""),
    ("AssertionError: expected 200, got 503", "- client.get('/v1')\n+ client.get('/v2')"),
    ('npm ERR! Missing script: "test"', "npm run test:unit"),
)
SAID = 5


def line(record):
    return records.line(record)


def visit(  # noqa: PLR0913 - a session has as many fields
    number, at, project, fails, *, coin=None, study="", rules=()
):
    """The records of a session: its start, its mistakes (which, at what minute), its capture."""
    session = f"s-{number:04d}"
    began, ended = at, at + timedelta(minutes=45)
    if rules or coin is not None:
        shown = [one for one in rules if one[1]]
        yield {
            "kind": "injection",
            "event": "SessionStart",
            "at": began.isoformat(),
            "session": session,
            "project": project,
            "experiment": study,
            "arm": "" if coin is None else "treated" if coin else "control",
            "p": None if coin is None else 0.5,
            "pinned": [],
            "slate": [{"id": name, "hash": "h", "p": 0.9} for name, _ in shown],
            "withheld": [{"id": name, "hash": "h", "p": 0.9} for name, kept in rules if not kept],
        }
    for which, minute in fails:
        text, fix = ERRORS[which % len(ERRORS)]
        # one that nobody met before, in words that no family joins
        text += f" in step {chr(97 + number % 26)}{number}-{minute}" if which >= len(ERRORS) else ""
        moment = began + timedelta(minutes=minute)
        found = Resolution("edit", fix, moment + timedelta(minutes=3 + which))
        # the sixth is what the person says
        tool, kind = ("user", "correction") if which % len(ERRORS) == SAID else ("Bash", "exit")
        mark = f"{tool} {kind} {text}"
        mistake = Mistake(mark, tool, kind, text, "c", NO_TURN, moment, found if fix else None)
        yield records.mistaken(mistake, session, project)
    yield records.captured(
        at=ended,
        capture=Capture(
            f"e-{number:012x}", session, project, str(began.date()), ended.isoformat(), "offline"
        ),
        watermark=Watermark(f"/p/{session}.jsonl", "1", 10, "t", "u"),
        turns=[f"{number:032x}"],
        began=began,
    )


def history(  # noqa: PLR0913 - a history is made of as much
    sessions, *, control=0.5, treated=0.12, seed=1, ids=(), study="x-0123456789", per_day=3
):
    """A whole ledger's records: a third of the sessions lie before the study with its coin."""
    rng = np.random.default_rng(seed)
    before = sessions // 3
    start = START + timedelta(days=before / per_day)
    yield from _calls(sessions)
    if study:
        found = experiments.Experiment(study, "", "coin", start - timedelta(hours=1))
        yield experiments.record(found.started, "start", found)
    for number in range(sessions):
        at = START + timedelta(days=number / per_day)
        tossed = study and number >= before
        coin = bool(rng.random() < 0.5) if tossed else None
        share = treated if coin else control
        count = int(rng.negative_binomial(3.4 / 2.3, 1 / 3.3))
        again = rng.random(count) < share
        fails = [
            (int(rng.integers(0, len(ERRORS)) + (0 if old else len(ERRORS))), int(minute))
            for old, minute in zip(again, rng.integers(1, 40, count), strict=True)
        ]
        speaks = coin is not False and ids
        rules = [(name, rng.random() < 0.9) for name in ids if speaks and rng.random() < 0.6]
        yield from visit(
            number,
            at,
            SHOP if number % 4 else MAPS,
            fails,
            coin=coin,
            study=study if tossed else "",
            rules=rules,
        )
        if rules:
            yield _judged(rng, number, at, rules)
    if ids:
        yield {"kind": "reward", "at": START.isoformat(), "id": ids[0], "reward": 1, "by": "person"}


def _judged(rng, number, at, rules):
    bad = {True: 0.15, False: 0.6}
    return {
        "kind": "judged",
        "at": at.isoformat(),
        "session": f"s-{number:04d}",
        "project": SHOP,
        "rules": {
            name: {"well": bool(rng.random() > bad[shown]), "by": "flush", "quote": ""}
            for name, shown in rules
            if rng.random() < 0.7
        },
    }


def _calls(sessions):
    for task, each, tokens, out, usd in (
        ("flush", sessions, 4_200, 650, 0.0075),
        ("compile", sessions // 3, 21_000, 3_100, 0.11),
        ("query", 7, 9_000, 500, 0.034),
    ):
        for number in range(each):
            at = START + timedelta(hours=7 * number)
            yield records.called(at, task, Reply({}, "claude", "m", Cost(tokens, out, usd)))
    yield records.called(START, "lint", Reply({}, "structural"))


def fill(place, lines):
    """Write records into the ledger of a vault."""
    path = state_of(place.vault) / "ledger.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.writelines(line(one) for one in lines)


def rules(place, texts=TEXTS, status="approved"):
    """Put rules in force; give their ids."""
    return keep(place, *(made(text, status=status, frequency=2) for text in texts), approve=True)


def believe(place, ids):
    """Write what a model may hold of rules, made up, where the learner leaves it."""
    values = [0.62, 0.41, 0.3, 0.12, 0.02, -0.05, -0.31, 0.2]
    rows = {
        name: {"mean": mean, "sd": 0.16 + 0.03 * at, "family": name}
        for at, (name, mean) in enumerate(zip(ids, values, strict=False))
    }
    (state_of(place.vault) / "bandit.json").write_text(json.dumps({"rules": rows}))


def report(place, *arguments):
    """Write the report in the vault; give its JSON and the text of its file."""
    found = place.json("report", *arguments)
    return found, Path(found["file"]).read_text(encoding="utf-8")
