"""Judge whether an act is the occasion of a rule's check, and whether it breaks the check.

Memory is what a check's `needs` has seen since its last `since`: a few words, so that a session's
state stays a line. `--force` is not in `--force-with-lease`, `-f` is in `-xf`; `print(` is not in
`pprint(`.
"""

from __future__ import annotations

from memoria.errors import UsageError
from memoria.rules.guards.act import Act, build_act
from memoria.rules.guards.check import SAME_FILE, Check, Part
from memoria.text.glob import fits_path, fits_word

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.text.shell.simple_command import SimpleCommand

    # what `needs` has seen since the last `since`: the files it was about, or ANY
    Memory = tuple[str, ...]

KEPT, BROKEN, NONE = "kept", "broken", ""
ANY = "*"
# what a `since` leaves in the memory in place of all that was seen before it; no file is called so
SINCE_MARK = "/"
# files that a session reads before it edits them
_MAX_REMEMBERED = 400
# words that tell of a subcommand's options: a bundle of short ones is -xzvf, hardly longer
_MAX_BUNDLE = 5
# programs whose options take a value before the subcommand; of others any option may
_VALUE_OPTIONS = {
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
_VERSIONED_PROGRAMS = frozenset({"pip", "python", "node", "ruby", "php", "perl", "gcc", "clang"})
_PUSH_VALUED = frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"})
# programs whose -n tries without doing, with the subcommands of which that holds
_DRY_RUN_N: dict[str, tuple[list[str], ...]] = {
    "git": (["push"], ["add"], ["clean"], ["fetch"], ["mv"], ["rm"], ["prune"]),
    "make": ([],),
    "rsync": ([],),
}
# what everybody does all day; a check that most of these break would be a wall
_DAILY = ("ls -la", "cat README.md", "git status", "cd src && grep -rn word .", "python main.py")
_DAILY_FILES = ("src/main.py", "README.md", "docs/notes.txt", "web/app.ts", "config.yaml")
_WALL_REFUSALS = 4
# the way on: what a person switches a guard off with
_SWITCH_OFF = "memoria guard off wf-0123456789"


def judge_act(check: Check, act: Act, memory: Memory = ()) -> str:
    """Say whether the act is the check's occasion, and if so whether it is KEPT or BROKEN."""
    occasions = _list_occasions(check, act, memory)
    if not occasions:
        return NONE
    return BROKEN if any(is_broken for _, is_broken in occasions) else KEPT


def broken_by(check: Check, act: Act, memory: Memory = ()) -> tuple[str, ...]:
    """Give what of the act breaks the check: its commands, else its file, else its tool."""
    occasions = _list_occasions(check, act, memory)
    return tuple(dict.fromkeys(what for what, is_broken in occasions if is_broken))


def remember(check: Check, act: Act, memory: Memory = ()) -> Memory:
    """Give the memory after an act that was carried out; the same one where nothing changes."""
    if not check.needs:
        return memory
    # the command that comes last in a call counts: `sed -i ... && pytest`
    need_at = _find_last(check.needs, act)
    since_at = _find_last(check.since, act) if check.since else -1
    if act.tool == "Write" and _names_same_file(check.needs):
        need_at = max(need_at, 0)  # a file that was written whole is known as if it had been read
    if since_at >= 0 and since_at >= need_at:
        memory = (SINCE_MARK,)
    if need_at < 0 or since_at > need_at:
        return memory
    files = (act.reads or act.paths) if _names_same_file(check.needs) else (ANY,)
    new_files = tuple(name for name in files if name not in memory)
    return (*memory, *new_files)[-_MAX_REMEMBERED:] if new_files else memory


def find_refusal(check: Check) -> str:
    """Say why a check may not be switched on: it has to leave a way on; "" where it may."""
    if judge_act(check, build_act("Bash", {"command": _SWITCH_OFF}, "")) == BROKEN:
        return "it would refuse `memoria guard off`: it must leave a way on"
    texts = {"old_string": "one", "new_string": "two words"}
    everyday = {
        "command": [build_act("Bash", {"command": text}, "") for text in _DAILY],
        "edit": [build_act("Edit", {"file_path": path, **texts}, "") for path in _DAILY_FILES],
        "reading": [build_act("Read", {"file_path": path}, "") for path in _DAILY_FILES],
    }
    for kind, acts in everyday.items():
        # of a session that did what the check needs: that is a way on
        pairs = [(act, (ANY, *act.paths, *act.reads) if check.needs else ()) for act in acts]
        if sum(judge_act(check, act, memory) == BROKEN for act, memory in pairs) >= _WALL_REFUSALS:
            return f"it would refuse nearly every {kind}: name something particular in it"
    return ""


def require_way_on(check: Check) -> Check:
    """Give the check; UsageError where it would be a wall."""
    if reason := find_refusal(check):
        raise UsageError(f"check: {reason}")
    return check


def _list_occasions(check: Check, act: Act, memory: Memory) -> list[tuple[str, bool]]:
    """Give what of an act is an occasion, and whether that breaks the check."""
    if not _fits_call(check.occasion, act):
        return []
    if check.occasion.is_about_command:
        return _judge_commands(check, act, memory)
    may_break, what = _fits_call(check.broken, act), act.path or act.tool
    if check.broken.is_about_command:
        fits = (command for command in act.commands if _fits_and_acts(check.broken, command, check))
        broken = next(fits, None)
        may_break, what = may_break and bool(broken), " ".join(broken.words) if broken else what
    globs = check.occasion.get("path")
    files = [path for path in act.paths if not globs or _fits_globs(globs, path)]
    return [
        (path or what, may_break and _is_missing(check, act, memory, path))
        for path in files or [""]
    ]


def _judge_commands(check: Check, act: Act, memory: Memory) -> list[tuple[str, bool]]:
    """Judge each command that is an occasion; those before it in the call count as seen."""
    may_break, occasions = _fits_call(check.broken, act), []
    for at, command in enumerate(act.commands):
        if _fits_and_acts(check.occasion, command, check):
            earlier_act = Act(act.tool, commands=act.commands[:at])
            breaks = may_break and _fits_command(check.broken, command)
            is_broken = breaks and _is_missing(check, earlier_act, memory, "")
            occasions.append((" ".join(command.words), is_broken))
    return occasions


def _fits_and_acts(part: Part, command: SimpleCommand, check: Check) -> bool:
    """Whether a command fits a part of the check, and does something."""
    return _fits_command(part, command) and not _does_nothing(check, command)


def _is_missing(check: Check, earlier_act: Act, memory: Memory, path: str) -> bool:
    """Whether what a check needs was not seen, where it needs something."""
    if not check.needs:
        return True
    memory = remember(check, earlier_act, memory)
    if check.since and not memory:
        return False  # nothing came yet after which it would be needed: a commit without a change
    if path and _names_same_file(check.needs):
        return path not in memory
    return not {*memory} - {SINCE_MARK}


def _names_same_file(part: Part) -> bool:
    return SAME_FILE in (*part.get("path"), *part.get("reads"))


def _find_last(part: Part, act: Act) -> int:
    """Give the place of the last command of an act that fits, its number of them for a file, -1."""
    if not _fits_call(part, act):
        return -1
    if not part.is_about_command:
        return len(act.commands)
    fitting = (at for at, command in enumerate(act.commands) if _fits_command(part, command))
    return max(fitting, default=-1)


def _fits_call(part: Part, act: Act) -> bool:
    """Whether what a part says of tool, files and texts fits an act."""
    tools, files = part.get("tools"), {"path": act.paths, "reads": act.reads}
    if tools and act.tool not in tools:
        return False
    for name, paths in files.items():
        globs = part.get(name)
        if globs and not any(_fits_globs(globs, path) for path in paths):
            return False
    texts = (("added", act.added, act.removed), ("removed", act.removed, act.added))
    return all(
        any(count(text, new_text) > count(text, old_text) for text in part.get(name))
        for name, new_text, old_text in texts
        if part.get(name)
    )


def _fits_globs(globs: Sequence[str], path: str) -> bool:
    includes = [glob for glob in globs if not glob.startswith("!")]
    if any(fits_path(glob[1:], path) for glob in globs if glob.startswith("!")):
        return False
    return not includes or any(glob == SAME_FILE or fits_path(glob, path) for glob in includes)


def count(literal: str, text: str) -> int:
    """Count a literal text; one that begins or ends with a letter does so there, too."""
    total, at = 0, text.find(literal)
    while at >= 0:
        end = at + len(literal)
        is_begun = at > 0 and _is_letter(literal[0]) and _is_letter(text[at - 1])
        goes_on = end < len(text) and _is_letter(literal[-1]) and _is_letter(text[end])
        total += not (is_begun or goes_on)
        at = text.find(literal, at + 1)
    return total


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"


def _does_nothing(check: Check, command: SimpleCommand) -> bool:
    """Whether a command only tells of itself, or tries without doing: `--version`, a dry run.

    A check that speaks of the option itself means such a command, too.
    """
    words, name = command.words[1:], command.name
    if words in (("--version",), ("--help",)):
        return True
    parts = (check.occasion, check.broken)
    options = {item for part in parts for key in ("with", "without") for item in part.get(key)}
    n_is_dry = any(_begins_with(subcommand, words, name) for subcommand in _DRY_RUN_N.get(name, ()))
    is_dry = any(
        word.partition("=")[0] == "--dry-run" or (n_is_dry and _fits_option("-n", word, name))
        for word in words
    )
    return is_dry and not options & {"--dry-run", "-n"}


def _fits_command(part: Part, command: SimpleCommand) -> bool:
    """Whether what a part says of a command fits one."""
    patterns, under = part.get("command"), part.get("under")
    includes = [item for item in patterns if not item.startswith("!")]
    if includes and not any(is_command(item, command) for item in includes):
        return False
    if any(is_command(item[1:], command) for item in patterns if item.startswith("!")):
        return False
    if (under and not _is_under(under, command)) or _is_under(part.get("not_under"), command):
        return False
    if part.get("with") and not any(has(item, command) for item in part.get("with")):
        return False
    return not any(has(item, command) for item in part.get("without"))


def _is_under(items: Sequence[str], command: SimpleCommand) -> bool:
    return any(
        fits_word(item, name) or name.startswith(item + " ")
        for item in items
        for name in command.under
    )


def is_command(pattern: str, command: SimpleCommand) -> bool:
    """Whether a command is the program of the pattern with its subcommand's words, in order."""
    program, *subcommand = pattern.split()
    names = program_names(command.name)
    return any(fits_word(program, name) for name in names) and _begins_with(
        subcommand, command.words[1:], command.name
    )


def program_names(name: str) -> tuple[str, ...]:
    """Give the names that a program goes by: `pip3.11` is `pip`, too."""
    base = name.rstrip(".0123456789")
    return (name, base) if base in _VERSIONED_PROGRAMS and base != name else (name,)


def _begins_with(subcommand: Sequence[str], words: Sequence[str], name: str) -> bool:
    """Whether the words come next, options and their values passed over."""
    remaining, valued, may_be_value = list(subcommand), _VALUE_OPTIONS.get(name), False
    for word in words if remaining else ():
        if fits_word(remaining[0], word):
            may_be_value = False
            del remaining[0]
            if not remaining:
                return True
        elif word.startswith("-"):
            may_be_value = "=" not in word if valued is None else word in valued
        elif may_be_value:
            may_be_value = False
        else:
            return False
    return not remaining


def has(item: str, command: SimpleCommand) -> bool:
    """Whether a command has an option or argument, or consecutive ones ("-X DELETE")."""
    parts = item.split()
    words = (*command.assigned, *_arguments(command))
    if len(parts) > 1 and "=".join(parts) in words:
        return True
    runs = zip(*(words[at:] for at in range(len(parts))), strict=False)
    return any(
        all(_fits_option(part, word, command.name) for part, word in zip(parts, run, strict=True))
        for run in runs
    )


def _arguments(command: SimpleCommand) -> list[str]:
    """Give what a command is given; of a push also the branch that each refspec goes to.

    The value of a push option (`-o main`) is none of its branches.
    """
    words = list(command.words[1:])
    if command.name != "git" or not _begins_with(["push"], words, "git"):
        return words
    args = [w for last, w in zip(["", *words], words, strict=False) if last not in _PUSH_VALUED]
    refs = (word.lstrip("+").rpartition(":")[2] for word in args if not word.startswith("-"))
    branches = (target.removeprefix("refs/").removeprefix("heads/") for target in refs)
    return [*args, *(name for name in branches if name not in args)]


def _fits_option(item: str, word: str, name: str) -> bool:
    if fits_word(item, word) or (item.startswith("--") and word.startswith(item + "=")):
        return True
    are_short = all(text[:1] == "-" and text[1:].isalpha() for text in (item, word))
    if not are_short or name in _ONE_DASH:
        return False
    return len(word) <= _MAX_BUNDLE and set(item[1:]) <= set(word[1:])
