"""Error lines of known templates -> how well signatures group them, beside Drain3; and how fast.

The lines are made from cases/error_lines.txt: templates of 18 tools' errors, each filled again and
again with other paths, numbers, ids, names and times, some coloured, the templates by a law of Zipf
as in a real log. A grouping is right about a line if it puts it together with exactly the other
lines of its template (grouping accuracy, GA); FGA is the F1 of groups that are exactly right, in
which a rare template counts as much as a common one. Every other tool was kept apart while the
masks and the families were worked on: "held out" is the honest column.

Drain3 learns as it reads, with its own defaults; it gets the lines without colour codes, and once
more with the masks of `build_signature` laid over them.

    pip install drain3
    python bench/signatures.py [--lines 2000] [--seed 20261122] [--tools] [--errors TOOL]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from memoria.capture.extract.failures.diagnosis import diagnose
from memoria.capture.extract.signatures import build_signature, group_families, mask
from memoria.text.unicode import strip_ansi

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Method = Callable[[Sequence[str]], list[str]]

SEED = 20261122
TEMPLATES = Path(__file__).parent / "cases" / "error_lines.txt"
# half of a tool's templates come in nine of ten lines, as in the public sets
STEEPNESS = 1.0
COLOURED = 0.25  # of the lines: what a tool prints to something that it takes for a terminal
_HOLE = re.compile(r"\{(\w+)\}")


class Line(NamedTuple):
    """A line as a tool would print it, and the number of the template that it came from."""

    text: str
    template: int


class Score(NamedTuple):
    """Grouping accuracy, F1 of groups, and how many groups there are for how many templates."""

    ga: float
    fga: float
    groups: int
    templates: int


# -- The lines ------------------------------------------------------------------------------------


def templates() -> dict[str, list[str]]:
    """Read the templates of each tool, in the order of the file."""
    found: dict[str, list[str]] = {}
    for line in TEMPLATES.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            tool = line[2:]
            found[tool] = []
        elif line.strip():
            found[tool].append(line)
    return found


class Filler:
    """Fills a template's holes with what differs from one time to the next."""

    _FOLDERS = ("src", "app", "lib", "internal", "pkg", "core", "tests", "services", "api", "ui")
    _STEMS = ("user", "order", "config", "main", "client", "store", "session", "parser", "worker")
    # the files that a tool speaks of; of all others any
    _ENDINGS: ClassVar = {
        "pytest": ("py",), "ruff": ("py",), "mypy": ("py",), "django": ("py", "html"),
        "tsc": ("ts", "tsx"), "eslint": ("ts", "tsx", "js"), "go": ("go",), "cargo": ("rs",),
        "java": ("java", "xml"), "make": ("cpp", "h", "c"), "terraform": ("tf",),
        "docker": ("yaml", "json"), "kubectl": ("yaml",), "npm": ("json", "js", "log"),
    }  # fmt: skip
    _ANY = ("py", "ts", "go", "md", "json", "sh", "yaml", "txt")
    _WORDS = ("redis", "postgres", "admin", "web", "billing", "alice", "deploy", "cache", "queue",
              "staging", "gateway", "search", "auth", "root", "jenkins", "payments")  # fmt: skip

    def __init__(self, rng: random.Random, tool: str) -> None:
        """Take the source of chance; the same seed fills the same way."""
        self._rng = rng
        self._endings = self._ENDINGS.get(tool, self._ANY)

    def __call__(self, template: str) -> str:
        """Fill every hole of a template."""
        return _HOLE.sub(lambda hole: getattr(self, hole[1])(), template)

    def _one(self, of: Sequence[str]) -> str:
        return self._rng.choice(of)

    def num(self) -> str:
        """A number, mostly a small one."""
        return str(int(self._rng.paretovariate(0.6)) % 100_000)

    def hex(self) -> str:
        """A sha, a short id, an address."""
        size = self._rng.choice((7, 8, 12, 40, 64))
        # as good as every id of a tool has a digit in it
        return f"{self._rng.randrange(10)}{self._rng.getrandbits(4 * size):0{size}x}"[:size]

    def uuid(self) -> str:
        """A uuid."""
        raw = f"{self._rng.getrandbits(128):032x}"
        return "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:]))

    def file(self) -> str:
        """A file's name."""
        end = f"_test.{self._one(self._endings)}" if self._rng.random() < 0.3 else ""
        return self._one(self._STEMS) + (end or "." + self._one(self._endings))

    def path(self) -> str:
        """A file, from the root, from here, or with its drive."""
        folders = self._rng.choices(self._FOLDERS, k=self._rng.randint(1, 4))
        root = self._one(("", "", "./", "/home/ana/shop/", "/srv/", "/Users/ben/work/", "../"))
        return root + "/".join([*folders, self.file()])

    def abspath(self) -> str:
        """The path of a URL."""
        parts = self._rng.choices((*self._WORDS, self.num()), k=self._rng.randint(1, 3))
        return "/" + "/".join(parts) + self._one(("", "", "/", "?page=2"))

    def host(self) -> str:
        """A host's name."""
        return f"{self._one(self._WORDS)}.{self._one(('example.com', 'internal', 'test'))}"

    def ip(self) -> str:
        """An address, mostly with its port."""
        address = ".".join(str(self._rng.randrange(1, 255)) for _ in range(4))
        return address + (f":{self._rng.randrange(80, 65000)}" if self._rng.random() < 0.7 else "")

    def url(self) -> str:
        """A URL."""
        return f"{self._one(('https', 'http', 'unix', 'tcp'))}://{self.host()}{self.abspath()}"

    def ts(self) -> str:
        """A time, in one of three forms."""
        day, clock = self._rng.randrange(1, 29), self._rng.randrange(10, 24)
        stamp = f"2031-05-{day:02}", f"{clock}:{day:02}:{clock:02}"
        return self._one(("T".join(stamp) + "Z", " ".join(stamp), " ".join(stamp) + ",123"))

    def dur(self) -> str:
        """A duration."""
        value = self._rng.random() * 100
        return self._one((f"{value:.2f}s", f"{value * 10:.0f}ms", f"{value:.1f}s"))

    def word(self) -> str:
        """A user, service or table: a plain word, which no mask can tell from the message."""
        word = self._one(self._WORDS)
        return word if self._rng.random() < 0.6 else f"{word}-{self._one(self._WORDS)}"

    def words(self) -> str:
        """Some words, not always as many."""
        return " ".join(self._rng.choices(self._WORDS, k=self._rng.randint(1, 3)))

    def name(self) -> str:
        """A name in code."""
        one, other = self._one(self._STEMS), self._one(self._FOLDERS)
        return self._one((f"{one}_{other}", f"{one}{other.title()}", f"get{one.title()}", one))

    def type(self) -> str:
        """A Go type."""
        return self._one(("", "*", "[]")) + self._one(("string", "error", "int", "store.Order"))

    def mod(self) -> str:
        """A dotted or slashed module."""
        parts = (self._one(("com", "org", "github")), self._one(self._WORDS), self.name())
        return self._one((".", "/")).join(parts)

    def version(self) -> str:
        """A version."""
        return f"{self._rng.randrange(9)}.{self._rng.randrange(30)}.{self._rng.randrange(9)}"

    def branch(self) -> str:
        """A branch."""
        return self._one(("main", f"feat/{self.name()}", f"fix-{self.num()}"))

    def flag(self) -> str:
        """A flag of a command."""
        return f"--{self._one(self._WORDS)}"

    def test(self) -> str:
        """A test's name."""
        return f"test_{self.name()}" if self._rng.random() < 0.5 else f"Test{self.name().title()}"

    def quoted(self) -> str:
        """Anything, in quotes."""
        made = self._one(("name", "word", "path", "words", "mod", "url", "num"))
        mark = self._one(("'", '"', "'"))
        return f"{mark}{getattr(self, made)()}{mark}"


def lines(tool: str, made: Sequence[str], count: int, seed: int) -> list[Line]:
    """Make so many lines of a tool."""
    rng = random.Random(f"{seed} {tool}")
    order = rng.sample(range(len(made)), len(made))
    weights = [1 / (rank + 1) ** STEEPNESS for rank in range(len(made))]
    fill = Filler(rng, tool)
    chosen = [*order, *rng.choices(order, weights, k=max(0, count - len(order)))]
    rng.shuffle(chosen)
    return [Line(_coloured(fill(made[number]), rng), number) for number in chosen]


def _coloured(text: str, rng: random.Random) -> str:
    if rng.random() >= COLOURED:
        return text
    first, space, rest = text.partition(" ")
    return f"\x1b[1;31m{first}\x1b[0m{space}{rest}"


# -- The groupings --------------------------------------------------------------------------------


def masked(texts: Sequence[str]) -> list[str]:
    """Group by the masks alone."""
    return [mask(text) for text in texts]


def masked_families(texts: Sequence[str]) -> list[str]:
    """Group by the masks, near ones joined."""
    return _joined([build_signature("Bash", "exit", mask(text)) for text in texts])


def whole(texts: Sequence[str]) -> list[str]:
    """Group by the whole signature: the kind and the code that the line shows, then the masks."""
    found = [diagnose(text, "")[0] for text in texts]
    return [build_signature("Bash", fault.kind, fault.masked) for fault in found]


def whole_families(texts: Sequence[str]) -> list[str]:
    """Group by the whole signature, near ones joined."""
    return _joined(whole(texts))


def _joined(signatures: Sequence[str]) -> list[str]:
    table = group_families(signatures)
    return [table.get(one, one) for one in signatures]


def drained(texts: Sequence[str]) -> list[str]:
    """Group by Drain3 as it comes."""
    drain3 = importlib.import_module("drain3")
    miner = drain3.TemplateMiner()
    return [str(miner.add_log_message(strip_ansi(text))["cluster_id"]) for text in texts]


def drained_masks(texts: Sequence[str]) -> list[str]:
    """Group by Drain3 over masked lines."""
    return drained(masked(texts))


def methods() -> dict[str, Method]:
    """Name the groupings; Drain3's are there if it is installed."""
    ours: dict[str, Method] = {
        "masks": masked,
        "masks + families": masked_families,
        "signature": whole,
        "signature + families": whole_families,
    }
    if importlib.util.find_spec("drain3"):
        ours |= {"drain3": drained, "drain3 + our masks": drained_masks}
    return ours


# -- The scores -----------------------------------------------------------------------------------


def score(found: Sequence[str], made: Sequence[Line]) -> Score:
    """Compare a grouping with the templates."""
    groups: dict[str, list[int]] = defaultdict(list)
    for index, group in enumerate(found):
        groups[group].append(index)
    sizes = Counter(line.template for line in made)
    exact = [
        members
        for members in groups.values()
        if len({made[index].template for index in members}) == 1
        and len(members) == sizes[made[members[0]].template]
    ]
    right = 2 * len(exact) / (len(groups) + len(sizes))
    return Score(sum(map(len, exact)) / len(made), right, len(groups), len(sizes))


def mean(scores: Sequence[Score]) -> Score:
    """Give the mean over tools, the groups summed."""
    return Score(
        statistics.mean(one.ga for one in scores),
        statistics.mean(one.fga for one in scores),
        sum(one.groups for one in scores),
        sum(one.templates for one in scores),
    )


def show(name: str, found: Score) -> None:
    """Print one row."""
    print(f"| {name} | {found.ga:.3f} | {found.fga:.3f} | {found.groups} | {found.templates} |")


def errors(tool: str, made: Sequence[Line], known: Sequence[str]) -> None:
    """Print which templates a grouping split or joined, for working on the tuned half."""
    found = masked([line.text for line in made])
    split: dict[int, set[str]] = defaultdict(set)
    joined: dict[str, set[int]] = defaultdict(set)
    for group, line in zip(found, made, strict=True):
        split[line.template].add(group)
        joined[group].add(line.template)
    print(f"== {tool}")
    for number, groups in split.items():
        if len(groups) > 1:
            print(f"split in {len(groups)}: {known[number]}", *sorted(groups)[:4], sep="\n    ")
    for group, numbers in joined.items():
        if len(numbers) > 1:
            print(f"joined: {group}", *(known[number] for number in numbers), sep="\n    ")


def main() -> None:
    """Print the table of both halves, then the speeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=2000, help="of each tool")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--tools", action="store_true", help="print each tool as well")
    parser.add_argument("--errors", help="print what goes wrong with the masks in a tool")
    options = parser.parse_args()
    known = templates()
    made = {tool: lines(tool, of, options.lines, options.seed) for tool, of in known.items()}
    if options.errors:
        errors(options.errors, made[options.errors], known[options.errors])
        return
    # a tool in each half in turn, by its place in the file
    halves = {"tuned on": list(known)[::2], "held out": list(known)[1::2]}
    for half, tools in halves.items():
        print(f"\n| {half}: {', '.join(tools)} | GA | FGA | groups | templates |")
        print("|---|---|---|---|---|")
        for name, method in methods().items():
            scores = [score(method([one.text for one in made[tool]]), made[tool]) for tool in tools]
            show(name, mean(scores))
            for tool, one in zip(tools, scores, strict=True) if options.tools else ():
                show(f"{name}, {tool}", one)
    speed([line.text for of in made.values() for line in of])


def speed(texts: Sequence[str]) -> None:
    """Print how many lines a second each grouping takes."""
    print(f"\n| {len(texts):,} lines | lines a second |\n|---|---|")
    for name, method in methods().items():
        begin = time.perf_counter()
        method(texts)
        print(f"| {name} | {len(texts) / (time.perf_counter() - begin):,.0f} |")


if __name__ == "__main__":
    main()
