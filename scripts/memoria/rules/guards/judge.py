"""A check, an act and what the session did before -> whether the rule's occasion came, and how.

The hook judges with it before a call and the replay over transcripts. Memory is what a check's
`needs` has seen since its last `since`: a few words, so that a session's state stays a line. The
traps: `--force` is not in `--force-with-lease`, `-f` is in `-xf`; `print(` is not in `pprint(`.
"""

from __future__ import annotations

from memoria.errors import UsageError
from memoria.rules.guards.act import SHELLS, Act, act
from memoria.rules.guards.check import SAME, Check, Part
from memoria.text.glob import fits_path, fits_word

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.text.shell.simple_command import Simple

    # what `needs` has seen since the last `since`: the files it was about, or ANY
    Memory = tuple[str, ...]

KEPT, BROKEN, NONE = "kept", "broken", ""
ANY = "*"
# what a `since` leaves in the memory in place of all that was seen before it; no file is called so
GONE = "/"
# files that a session reads before it edits them
_REMEMBERED = 400
# words that tell of a subcommand's options: a bundle of short ones is -xzvf, hardly longer
_BUNDLE = 5
# programs whose options take a value before the subcommand; of others any option may
_VALUED = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"}),
    "docker": frozenset({"-H", "--host", "-c", "--context", "--config", "-l", "--log-level"}),
    "npm": frozenset({"--prefix", "-w", "--workspace", "-C"}),
    "pnpm": frozenset({"-C", "--dir", "-F", "--filter"}),
    "yarn": frozenset({"--cwd"}),
    "cargo": frozenset({"--manifest-path", "-C", "--config", "--color"}),
    "uv": frozenset({"--directory", "--project", "--color", "--config-file"}),
    "gh": frozenset({"-R", "--repo"}),
    "make": frozenset({"-C", "-f", "-I", "--directory", "--file"}),
    "go": frozenset({"-C"}),
    "rm": frozenset(),
    "pytest": frozenset({"-k", "-m", "-p", "-c", "-o", "-n", "-W"}),
}
# their long options have one dash
_ONE_DASH = frozenset({"find", "java", "javac", "go", "terraform", "gcc", "clang", "ffmpeg"})
# programs of which several versions stand side by side, each by a name of its own
_VERSIONED = frozenset({"pip", "python", "node", "ruby", "php", "perl", "gcc", "clang"})
_PUSH_VALUED = frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"})
# programs whose -n tries without doing, with the subcommands of which that holds
_DRY: dict[str, tuple[list[str], ...]] = {
    "git": (["push"], ["add"], ["clean"], ["fetch"], ["mv"], ["rm"], ["prune"]),
    "make": ([],),
    "rsync": ([],),
}
# what everybody does all day; a check that most of these break would be a wall
_EVERYDAY = ("ls -la", "cat README.md", "git status", "cd src && grep -rn word .", "python main.py")
_FILES = ("src/main.py", "README.md", "docs/notes.txt", "web/app.ts", "config.yaml")
_WALL = 4
# the way on: what a person switches a guard off with
_WAY_ON = "memoria guard off wf-0123456789"


def judged(check: Check, done: Act, memory: Memory = ()) -> str:
    """Say whether the act is the check's occasion, and if so whether it is KEPT or BROKEN."""
    found = [is_broken for _, is_broken in _occasions(check, done, memory)]
    return (BROKEN if any(found) else KEPT) if found else NONE


def broken_by(check: Check, done: Act, memory: Memory = ()) -> tuple[str, ...]:
    """Give what of the act breaks the check: its commands, else its file, else its tool."""
    found = _occasions(check, done, memory)
    return tuple(dict.fromkeys(what for what, is_broken in found if is_broken))


def remembered(check: Check, done: Act, memory: Memory = ()) -> Memory:
    """Give the memory after an act that was carried out; the same one where nothing changes."""
    if not check.needs:
        return memory
    # the command that comes last in a call counts: `sed -i ... && pytest`
    seen, gone = _last(check.needs, done), _last(check.since, done) if check.since else -1
    if done.tool == "Write" and _is_same(check.needs):
        seen = max(seen, 0)  # a file that was written whole is known as if it had been read
    if gone >= 0 and gone >= seen:
        memory = (GONE,)
    if seen < 0 or gone > seen:
        return memory
    new = (done.reads or done.paths) if _is_same(check.needs) else (ANY,)
    added = tuple(one for one in new if one not in memory)
    return (*memory, *added)[-_REMEMBERED:] if added else memory


def refused(check: Check) -> str:
    """Say why a check may not be switched on: it has to leave a way on; "" where it may."""
    if judged(check, act("Bash", {"command": _WAY_ON}, "")) == BROKEN:
        return "it would refuse `memoria guard off`: it must leave a way on"
    calls = [act("Bash", {"command": text}, "") for text in _EVERYDAY]
    texts = {"old_string": "one", "new_string": "two words"}
    edits = [act("Edit", {"file_path": path, **texts}, "") for path in _FILES]
    reads = [act("Read", {"file_path": path}, "") for path in _FILES]
    for kind, acts in (("command", calls), ("edit", edits), ("reading", reads)):
        walls = sum(judged(check, one, _met(check, one)) == BROKEN for one in acts)
        if walls >= _WALL:
            return f"it would refuse nearly every {kind}: name something particular in it"
    return ""


def check_that_may_be_on(check: Check) -> Check:
    """Give the check; UsageError where it would be a wall."""
    why = refused(check)
    if why:
        raise UsageError(f"check: {why}")
    return check


def _met(check: Check, one: Act) -> Memory:
    """Give the memory of a session that did what the check needs: that is a way on."""
    return (ANY, *one.paths, *one.reads) if check.needs else ()


# -- Occasions -------------------------------------------------------------------------------------


def _occasions(check: Check, done: Act, memory: Memory) -> list[tuple[str, bool]]:
    """Give what of an act is an occasion, and whether that breaks the check."""
    part = check.broken
    if not _around(check.occasion, done):
        return []
    if check.occasion.is_about_command:
        return [
            (
                " ".join(one.words),
                (not part or (_around(part, done) and _fits(part, one)))
                and _is_missing(check, _upto(done, at), memory, ""),
            )
            for at, one in enumerate(done.commands)
            if _fits(check.occasion, one) and not _does_nothing(check, one)
        ]
    is_broken = not part or (_around(part, done) and _any_command(check, part, done))
    files = [one for one in done.paths if not check.occasion.get("path") or _fits_path(check, one)]
    return [
        (path or done.path or done.tool, is_broken and _is_missing(check, done, memory, path))
        for path in files or [""]
    ]


def _fits_path(check: Check, path: str) -> bool:
    return _among(check.occasion.get("path"), path)


def _is_missing(check: Check, before: Act, memory: Memory, path: str) -> bool:
    """Whether what a check needs was not seen, where it needs something."""
    if not check.needs:
        return True
    now = remembered(check, before, memory)
    if check.since and not now:
        return False  # nothing came yet after which it would be needed: a commit without a change
    return path not in now if path and _is_same(check.needs) else not {*now} - {GONE}


def _upto(done: Act, before: int) -> Act:
    """Give what of a shell call comes before one of its commands."""
    return Act(done.tool, commands=done.commands[:before])


def _is_same(part: Part) -> bool:
    return SAME in (*part.get("path"), *part.get("reads"))


def _last(part: Part, done: Act) -> int:
    """Give the place of the last command of an act that fits, its number of them for a file, -1."""
    if not _around(part, done):
        return -1
    if not part.is_about_command:
        return len(done.commands)
    return max((at for at, one in enumerate(done.commands) if _fits(part, one)), default=-1)


# -- Parts -----------------------------------------------------------------------------------------


def _around(part: Part, done: Act) -> bool:
    """Whether what a part says of tool, files and texts fits an act."""
    tools = part.get("tools")
    if tools and done.tool not in tools:
        return False
    if part.get("path") and not any(_among(part.get("path"), path) for path in done.paths):
        return False
    if part.get("reads") and not any(_among(part.get("reads"), path) for path in done.reads):
        return False
    if part.get("added") and not _came(part.get("added"), done.added, done.removed):
        return False
    return not part.get("removed") or _came(part.get("removed"), done.removed, done.added)


def _among(globs: Sequence[str], path: str) -> bool:
    wanted = [one for one in globs if not one.startswith("!")]
    if any(fits_path(one[1:], path) for one in globs if one.startswith("!")):
        return False
    return not wanted or any(one == SAME or fits_path(one, path) for one in wanted)


def _came(texts: Sequence[str], there: str, before: str) -> bool:
    return any(count(text, there) > count(text, before) for text in texts)


def count(literal: str, text: str) -> int:
    """Count a literal text; one that begins or ends with a letter does so there, too."""
    found, at = 0, text.find(literal)
    while at >= 0:
        end = at + len(literal)
        is_begun = at > 0 and _is_letter(literal[0]) and _is_letter(text[at - 1])
        goes_on = end < len(text) and _is_letter(literal[-1]) and _is_letter(text[end])
        found += not (is_begun or goes_on)
        at = text.find(literal, at + 1)
    return found


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"


def _any_command(check: Check, part: Part, done: Act) -> bool:
    return not part.is_about_command or any(
        _fits(part, one) and not _does_nothing(check, one) for one in done.commands
    )


def _does_nothing(check: Check, one: Simple) -> bool:
    """Whether a command only tells of itself, or tries without doing: `--version`, a dry run.

    A check that speaks of the option itself means such a command, too.
    """
    words = one.words[1:]
    if len(words) == 1 and words[0] in {"--version", "--help"}:
        return True
    parts = (check.occasion, check.broken)
    named = {item for part in parts for key in ("with", "without") for item in part.get(key)}
    short = any(_follow(rest, words, one.name) for rest in _DRY.get(one.name, ()))
    is_dry = any(word.partition("=")[0] == "--dry-run" for word in words)
    is_dry = is_dry or (short and any(_is_word("-n", word, one.name) for word in words))
    return is_dry and not named & {"--dry-run", "-n"}


def _fits(part: Part, one: Simple) -> bool:
    """Whether what a part says of a command fits one."""
    wanted = [item for item in part.get("command") if not item.startswith("!")]
    excluded = [item[1:] for item in part.get("command") if item.startswith("!")]
    if wanted and not any(is_command(item, one) for item in wanted):
        return False
    if any(is_command(item, one) for item in excluded):
        return False
    if part.get("under") and not _is_under(part.get("under"), one):
        return False
    if _is_under(part.get("not_under"), one):
        return False
    if part.get("with") and not any(has(item, one) for item in part.get("with")):
        return False
    return not any(has(item, one) for item in part.get("without"))


def _is_under(items: Sequence[str], one: Simple) -> bool:
    return any(
        fits_word(item, name) or name.startswith(item + " ") for item in items for name in one.under
    )


def is_command(pattern: str, one: Simple) -> bool:
    """Whether a command is the program of the pattern with its subcommand's words, in order."""
    program, *rest = pattern.split()
    return _is_program(program, one.name) and _follow(rest, one.words[1:], one.name)


def _is_program(pattern: str, name: str) -> bool:
    """Whether a program is the one of a pattern, also by the name of a version: `pip3.11`."""
    return any(fits_word(pattern, one) for one in program_names(name))


def program_names(name: str) -> tuple[str, ...]:
    """Give the names that a program goes by: `pip3.11` is `pip`, too."""
    bare = name.rstrip(".0123456789")
    return (name, bare) if bare in _VERSIONED and bare != name else (name,)


def _follow(rest: list[str], words: Sequence[str], name: str) -> bool:
    """Whether the words come next, options and their values passed over."""
    if not rest:
        return True
    valued = _VALUED.get(name)
    may_be_value = False
    for at, word in enumerate(words):
        if fits_word(rest[0], word):
            return _follow(rest[1:], words[at + 1 :], name)
        if word.startswith("-"):
            may_be_value = "=" not in word if valued is None else word in valued
        elif may_be_value:
            may_be_value = False
        else:
            return False
    return False


def has(item: str, one: Simple) -> bool:
    """Whether a command has an option or argument, or consecutive ones ("-X DELETE")."""
    parts = item.split()
    words = (*one.assigned, *_arguments(one))
    if len(parts) == 1:
        return any(_is_word(item, word, one.name) for word in words)
    size = len(parts)
    return any(
        all(_is_word(part, word, one.name) for part, word in zip(parts, words[at:], strict=False))
        for at in range(len(words) - size + 1)
    ) or any(word == "=".join(parts) for word in words)


def _arguments(one: Simple) -> list[str]:
    """Give what a command is given; of a push also the branch that each refspec goes to.

    The value of a push option (`-o main`) is none of its branches.
    """
    words = list(one.words[1:])
    if one.name != "git" or not _follow(["push"], words, "git"):
        return words
    own = [word for at, word in enumerate(words) if not at or words[at - 1] not in _PUSH_VALUED]
    targets = (word.lstrip("+").rpartition(":")[2] for word in own if not word.startswith("-"))
    names = (target.removeprefix("refs/").removeprefix("heads/") for target in targets)
    return [*own, *(name for name in names if name not in own)]


def _is_word(item: str, word: str, name: str) -> bool:
    if fits_word(item, word) or (item.startswith("--") and word.startswith(item + "=")):
        return True
    if not _is_short(item) or not _is_short(word) or name in _ONE_DASH:
        return False
    return len(word) <= _BUNDLE and set(item[1:]) <= set(word[1:])


def _is_short(word: str) -> bool:
    return word[:1] == "-" and word[1:].isalpha()


def line(done: Act) -> str:
    """Give an act in one line, for a person."""
    if done.tool in SHELLS:
        return "; ".join(" ".join(one.words) for one in done.commands if not one.under)
    return f"{done.tool} {done.path}".strip()
