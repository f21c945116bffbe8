"""Fit the weights of a clause's features, and print what they are worth for writers not seen.

    python bench/rules/fit.py TURNS.jsonl [MORE.jsonl ...] [--gold DIR] [--sessions DIR ...]
        [--write] [--errors]
    python bench/rules/fit.py UNSEEN.jsonl --unseen [--errors]

TURNS has a line a turn: {"id", "prompt", "before"?, "after"?, "class"?, "rules": [{"span"}]}, where
"span" are the user's words that hold a lasting rule; the first letter of an id names its writer. A
clause counts as one when it shares most of its words with a span. --gold adds the user's turns of
judged sessions (DIR/*.gold.jsonl with DIR/sentences/TEAM/SESSION.jsonl); they are fitted on, and
reported apart. --sessions adds what was typed in folders of real transcripts, all of which was read
by eye: it holds no rule, but for the messages of STATED, which are left out. Each turn is read with
weights that were fitted without its writer; --unseen reads a new set with the weights as they are
and fits nothing; --write puts the weights fitted on all turns into
scripts/memoria/capture/extract/user/clause_weights.txt.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import re
import sys
import textwrap
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from memoria.agents.claude_code.user_words import (  # noqa: E402 - the path above
    Utterance,
    list_utterances,
    own_words,
    parse_ask,
)
from memoria.agents.port import read as read_parts  # noqa: E402 - as above
from memoria.capture.extract.user import statements  # noqa: E402 - as above
from memoria.capture.extract.user.clause_features import (  # noqa: E402 - as above
    ClauseWeights,
    find_features,
    load_weights,
)
from memoria.capture.extract.user.clauses import split_clauses  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

WEIGHTS = ROOT / "scripts/memoria/capture/extract/user/clause_weights.txt"
# of the Gaussian prior of a weight, and of one for two signs together: writers left out, of 2 to 8,
# which hardly differ
RIDGE, OF_PAIRS = 4.0, 8.0
# clauses that have a feature, and writers who used it: with fewer its weight is noise
LEAST, WRITERS = 8, 3
# a smaller weight is left out: of 500 rules in force 14 instead of 13 are wrong, the table is half
SMALLEST = 0.1
# a table of this many columns is read as text
WIDTH = 99
# decimals of a weight: with all of them no figure is better by more than .01
DECIMALS = 1
# of scripts without spaces a word is a character
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|(?:(?![\u3040-\u30ff\u4e00-\u9fff])\w)+")
# the teams of the judged sessions, by the folder of their transcripts
TEAMS = {"transcripts": "entire", "transcripts_cb": "cb"}
# beginnings of the SHA-256 of messages of real sessions that state, or nearly state, a rule
STATED = frozenset(
    {
        "17aced0e",
        "4797b766",
        "5849b6f5",
        "919b14ae",
        "942fea0e",
        "bb41f3c7",
        "e296a31c",
        "f72cf4c2",
    }
)


class Example(NamedTuple):
    """A clause with its features: whether it is a lasting rule, and who wrote it."""

    names: frozenset[str]
    label: bool
    writer: str


def how(turn: dict[str, Any]) -> str:
    """Say how a turn was said: refusing a call, answering a question, or as a prompt."""
    if turn.get("how"):
        return str(turn["how"])
    before = str(turn.get("before") or "")
    if "refused" in before[:80] or "doesn't want to proceed" in before:
        return "refusal"
    return "answer" if before.rstrip().endswith("?") else "prompt"


def shared(one: str, other: str) -> tuple[float, float]:
    """Say which share of each text's words the other one has."""
    mine, theirs = (collections.Counter(_WORD.findall(text.lower())) for text in (one, other))
    both = (mine & theirs).total()
    return both / max(1, mine.total()), both / max(1, theirs.total())


def is_same(clause: str, span: str) -> bool:
    """Whether a clause is the rule that stands in a span: neither half of it nor a task with it."""
    of_clause, of_span = shared(clause, span)
    return (of_span >= 0.6 and of_clause >= 0.5) or (of_clause >= 0.7 and of_span >= 0.45)


def examples(turns: Sequence[dict[str, Any]]) -> list[Example]:
    """Part the turns into clauses; what was taken back in the next message trains nothing."""
    found = []
    for turn in turns:
        if _is_taken_back(turn):
            continue
        parts = split_clauses(own(turn["prompt"]))
        for place, clause in enumerate(parts):
            label = any(is_same(clause.text, rule["span"]) for rule in turn["rules"])
            found.append(Example(find_features(parts, place, how(turn)), label, turn["writer"]))
    return found


def _is_taken_back(turn: dict[str, Any]) -> bool:
    return turn.get("class") in {"none_takenback", "taken_back"}


def own(prompt: str) -> str:
    """Give the user's own words of a prompt, as capture does."""
    said = Utterance(parse_ask(prompt), "prompt", 0, datetime.now(UTC))
    return own_words(said)


def fitted(data: Sequence[Example]) -> ClauseWeights:
    """Fit a logistic regression with a ridge (maximum a posteriori, L-BFGS)."""
    names = common(data)
    columns = {name: at for at, name in enumerate(names)}
    cells = [
        (row, columns[name])
        for row, one in enumerate(data)
        for name in one.names
        if name in columns
    ]
    rows = csr_matrix(
        (np.ones(len(cells)), tuple(zip(*cells, strict=True))), (len(data), len(names))
    )
    ridge = np.array([OF_PAIRS if "&" in name else RIDGE for name in names])
    labels = np.array([one.label for one in data], dtype=float)

    def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        chances = 1 / (1 + np.exp(-(rows @ values[1:] + values[0])))
        likely = labels * np.log(chances + 1e-12) + (1 - labels) * np.log(1 - chances + 1e-12)
        slope = np.concatenate([[0.0], ridge * values[1:]])
        slope += np.concatenate([[(chances - labels).sum()], rows.T @ (chances - labels)])
        return float(-likely.sum() + (ridge * values[1:] ** 2).sum() / 2), slope

    best = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    found = zip(names, map(float, best[1:]), strict=True)
    return ClauseWeights(
        float(best[0]), {name: weight for name, weight in found if abs(weight) >= SMALLEST}
    )


def common(data: Sequence[Example]) -> list[str]:
    """Name the features that are frequent, and not one writer's own."""
    counts = collections.Counter(name for one in data for name in one.names)
    users = collections.defaultdict(set)
    for one in data:
        for name in one.names:
            users[name].add(one.writer)
    return sorted(
        name for name, count in counts.items() if count >= LEAST and len(users[name]) >= WRITERS
    )


def judged(folder: Path) -> list[dict[str, Any]]:
    """Read the user's turns of judged sessions, with the lasting rules that the user stated."""
    turns: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.gold.jsonl")):
        for session in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            name = session["session"][:8]
            found = next(folder.glob(f"sentences/*/{name}.jsonl"))
            rows = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
            said = _turns(name, [row for row in rows if row["who"] in "US"], session["rules"])
            turns += (turn | {"writer": found.parent.name} for turn in said)
    return turns


def spoken(folder: Path) -> Iterator[dict[str, Any]]:
    """Read what users typed in real sessions: nearly none of it is a rule, and none is made up."""
    seen = set(STATED)
    for number, path in enumerate(sorted(folder.rglob("*.jsonl"))):
        said = (
            [] if "subagents" in path.parts else [*chain(*map(list_utterances, read_parts(path)))]
        )
        texts = [own_words(one) for one in said]
        for one, text, after in zip(said, texts, [*texts, ""][1:], strict=True):
            mark = hashlib.sha256(text.encode()).hexdigest()[:8]
            if text.strip() and mark not in seen:
                name = f"s{folder.name}:{number}:{mark}"
                turn = {"id": name, "prompt": text, "how": one.how, "after": after, "rules": []}
                yield turn | {"writer": TEAMS.get(folder.name, folder.name)}
            seen.add(mark)


def _turns(
    name: str, rows: Sequence[dict[str, Any]], rules: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    lasting = [rule for rule in rules if rule["lasts"] != "task" and rule["said"] == "stated"]
    spans = {place for rule in lasting for place in rule["ids"]}
    for number in sorted({row["turn"] for row in rows}):
        said = [row for row in rows if row["turn"] == number]
        held = [row["text"] for row in said if row["id"].split(":", 1)[1] in spans]
        yield {
            "id": f"{name}:{number}",
            "prompt": "\n".join(row["text"] for row in said),
            "class": "session",
            "rules": [{"span": text} for text in held],
        }


class Found(NamedTuple):
    """A statement read from a turn, whether it is a lasting rule, and whether it acts by itself."""

    turn: dict[str, Any]
    text: str
    score: float
    active: bool
    right: bool


def read(turn: dict[str, Any], model: ClauseWeights) -> Iterator[Found]:
    """Read a turn with these weights, as capture would."""
    vars(statements)["load_weights"] = lambda: model
    for one in statements.find_statements_in(
        own(turn["prompt"]), how(turn), str(turn.get("after") or "")
    ):
        right = any(
            is_same(words, rule["span"])
            for rule in turn["rules"]
            for words in (one.quote, one.text)
        )
        yield Found(turn, one.quote, one.score, one.standing, right)


def crossed(turns: Sequence[dict[str, Any]]) -> list[Found]:
    """Read each turn with weights that were fitted without its writer."""
    found: list[Found] = []
    data = examples(turns)
    for writer in sorted({turn["writer"] for turn in turns}):
        model = fitted([one for one in data if one.writer != writer])
        for turn in turns:
            found += read(turn, model) if turn["writer"] == writer else ()
    return found


def wilson(right: int, count: int) -> tuple[float, float]:
    """Give the 95 % interval of a share (Wilson 1927)."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, right / count
    middle = share + z * z / (2 * count)
    width = z * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    return (middle - width) / (1 + z * z / count), (middle + width) / (1 + z * z / count)


def report(turns: Sequence[dict[str, Any]], found: Sequence[Found], name: str) -> None:
    """Print the curve: from each score on, how many act by themselves and are right."""
    rules = sum(len(turn["rules"]) for turn in turns if not _is_taken_back(turn))
    print(f"{name}: {len(turns)} turns, {rules} lasting rules")
    all_rules = max(1, rules)
    print("from    active right  95 %           of all    any found right of all")
    for floor in (0.3, statements.WEAK, 0.4, 0.45, 0.5, 0.6, statements.FOUND, 0.75, 0.8, 0.9):
        among = [one for one in found if one.score >= floor]
        active = [one for one in among if one.active]
        right = sum(one.right for one in active)
        low, high = wilson(right, len(active))
        share = right / max(1, len(active))
        any_right = sum(one.right for one in among)
        print(
            f"{floor:.2f} {len(active):8} {share:6.2f} [{low:.2f}, {high:.2f}]"
            f" {right / all_rules:8.2f}"
            f" {len(among):10} {any_right / max(1, len(among)):6.2f} {any_right / all_rules:6.2f}"
        )


def by_class(turns: Sequence[dict[str, Any]], found: Sequence[Found]) -> None:
    """Print, for each class of turns, what would be in force or wait, and whether it is right."""
    rows: dict[str, list[int]] = collections.defaultdict(lambda: [0] * 5)
    for turn in turns:
        rows[turn.get("class", "")][0] += len(turn["rules"])
    for one in found:
        row = rows[one.turn.get("class", "")]
        act = one.active and one.score >= statements.FOUND
        row[1 if act and one.right else 2 if act else 3 if one.right else 4] += 1
    print("class               rules  active right  wrong  waiting right  wrong")
    for name, row in sorted(rows.items()):
        print(f"{name:20}{row[0]:5}{row[1]:14}{row[2]:7}{row[3]:15}{row[4]:7}")


def errors(found: Sequence[Found]) -> None:
    """Print what was read wrongly, the surest first."""
    for one in sorted(found, key=lambda one: -one.score):
        if not one.right and one.score >= statements.WEAK:
            status = "active" if one.active and one.score >= statements.FOUND else "waits"
            turn = one.turn
            spans = " / ".join(rule["span"] for rule in turn["rules"])
            print(f"{one.score:.2f} {status:6} {turn['id']} {turn.get('class')} | {one.text[:140]}")
            print(f"    {spans}")


def write(model: ClauseWeights, sources: Sequence[str], turns: int) -> None:
    """Write the table of weights, with where it comes from."""
    named = collections.defaultdict(list)
    for name, weight in model.weights.items():
        named[round(weight, DECIMALS)].append(name)
    lines = [
        f"# Fitted by bench/rules/fit.py on {turns} turns, ridges of {RIDGE:g} and {OF_PAIRS:g}:",
        f"# {', '.join(sources)}",
    ]
    lines.append(f"{model.bias:.2f} BIAS")
    for weight, names in sorted(named.items()):
        rows = textwrap.wrap(" ".join(names), WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += [f"{weight:.{DECIMALS}f} {row}" for row in rows]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def load(path: Path) -> list[dict[str, Any]]:
    """Read a file of turns; an id's first letter names its writer."""
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    return [row | {"writer": f"{path.stem}:{row['id'][0]}"} for row in rows]


def main() -> None:
    """Fit, print what writers not seen get, and write the weights where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("turns", nargs="+", type=Path)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--sessions", type=Path, nargs="*", default=())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--unseen", action="store_true")
    options = parser.parse_args()
    turns = [turn for path in options.turns for turn in load(path)]
    if options.unseen:
        model = load_weights()
        found = [one for turn in turns for one in read(turn, model)]
        report(turns, found, "weights as they are")
        by_class(turns, found)
        if options.errors:
            errors(found)
        return
    sessions = judged(options.gold) if options.gold else []
    sessions += [turn for folder in options.sessions for turn in spoken(folder)]
    found = crossed([*turns, *sessions])
    for writer in sorted({turn["writer"] for turn in (*turns, *sessions)}):
        mine = [turn for turn in (*turns, *sessions) if turn["writer"] == writer]
        report(mine, [one for one in found if one.turn["writer"] == writer], writer)
    known = {turn["writer"] for turn in turns}
    report(turns, [one for one in found if one.turn["writer"] in known], "all writers")
    by_class(turns, [one for one in found if one.turn["writer"] in known])
    if options.errors:
        errors(found)
    if options.write:
        write(
            fitted(examples([*turns, *sessions])),
            [path.name for path in (*options.turns, *options.sessions)],
            len(turns) + len(sessions),
        )


if __name__ == "__main__":
    main()
