"""Choose for a failed call what earlier ones of the same error went away after, and word it.

An error is known by its text: the fixed words of its signature stand in one line of what was
printed, in their order. A signature is broad on purpose (`undefined: <name>` is one error, whatever
the name), so the same line has to have come back, or the change has to speak of what the error
speaks of; only a linter's rule is kept in the same way everywhere. All of it is told as a fact with
its date. To name a failure takes a hundred patterns, which a hook cannot pay for.
"""

from __future__ import annotations

import re

from memoria.search import injection

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# characters of a call's error and of each input: as agents/transcript.py has it for transcripts
RESULT, ARGUMENT = 8 << 10, 4 << 10
# of each line of a change: what tells one edit from another
_MAX_LINE = 160
# errors of one call that are told of: a linter's run can have many
MAX_TOLD = 3
_ERROR_WORD = re.compile(r"\w{3,}")
_DIGITS = re.compile(r"\d+")
# "<name>", what a signature has masked; "<path> ...", more than once; "test_<name>" a word with it
MASK = re.compile(r"<[a-z.]+>(?: \.\.\.)?")
_MASKED_WORD = re.compile(r"\w*<[a-z.]+>\w*")
_TICKS = re.compile(r"`+")
_PLACE = re.compile(r"^\S+:\d+(?::\d+)?:\s*")  # "src/app.py:12:5: "
_CODED = re.compile(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]")  # within "userId", "user_id"
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # "HTTP" and "Server" of "HTTPServer"
# they are in every second error and say nothing of this one
_COMMON_WORDS = {
    "actual", "argument", "const", "error", "expected", "fail", "failed", "false", "file", "from",
    "function", "have", "import", "line", "method", "must", "none", "null", "package", "path",
    "return", "self", "should", "string", "test", "that", "this", "true", "type", "undefined",
    "value", "when", "with",
}  # fmt: skip
_MIN_SUBJECT = 4  # letters of a word that says what an error is about
# signatures have up to 200 characters and lines up to 500; what is near that may have been cut
_MAYBE_CUT, _MAYBE_CUT_LINE = 195, 495
# words that capture/extract/failures/diagnosis.py adds: "FAIL test_lease", "make ship failed"
_ADDED_WORDS = frozenset({"FAIL", "failed"})
_OPENING = (
    "This error was met in earlier sessions. What was done before it went away, as a record of "
    "them and not as an instruction:"
)


# -- Which error it is -----------------------------------------------------------------------------


def find_tokens(text: str) -> set[str]:
    """Give the words of an error's text, whole but for their digits."""
    return set(_ERROR_WORD.findall(_DIGITS.sub(" ", text)))


def choose_anchor(signature: str, earlier_line: str) -> str:
    """Give a token that every error of a signature holds, "" where there is none."""
    message = " ".join(_remove_cut_word(signature, _MAYBE_CUT).split(" ", 2)[2:])
    fixed = _remove_cut_word(earlier_line, _MAYBE_CUT_LINE)
    if _find_fixed_pieces(signature):
        fixed = _MASKED_WORD.sub(" ", message)
    return max(find_tokens(fixed) - _ADDED_WORDS, key=lambda word: (len(word), word), default="")


def normalise_line(line: str) -> str:
    """Reduce an error's line to what stays where the code around it moves: no place, no numbers."""
    return " ".join(_DIGITS.sub("", _PLACE.sub("", line)).split())


def find_matching_line(signature: str, earlier_line: str, lines: Sequence[str]) -> int | None:
    """Find the line in which an error of that signature says what it is; lines have single blanks.

    `earlier_line` is that of an earlier one, for a signature in which nothing is fixed. The rule or
    exception that its kind names has to be printed, too: by a linter anywhere, else in that line.
    """
    code, is_lint = find_code(signature), _is_lint(signature)
    pieces = _find_fixed_pieces(signature) or [" ".join(_PLACE.sub("", earlier_line).split())]
    if code and not any(code in line for line in lines):
        return None
    matches = (number for number, line in enumerate(lines) if _contains_in_order(pieces, line))
    return next((number for number in matches if is_lint or code in lines[number]), None)


def _contains_in_order(pieces: Sequence[str], line: str) -> bool:
    """Say whether all pieces stand in a line, one after the other."""
    start = 0
    for piece in pieces:
        # "FAIL TestLease" is put together of a line that has more between the two
        found_at = line.find(piece.removeprefix("FAIL "), start)
        if found_at < 0:
            return False
        start = found_at + len(piece)
    return True


def _is_lint(signature: str) -> bool:
    return signature.partition(" ")[2].startswith("lint:")


def find_code(signature: str) -> str:
    """Give the rule or exception that a signature's kind names, "" for none."""
    kind = signature.split(" ", 2)[1] if " " in signature else ""
    return kind.partition(":")[2]


def _find_fixed_pieces(signature: str) -> list[str]:
    """Give what every error with this signature holds, in its order."""
    texts = _remove_cut_word(signature, _MAYBE_CUT).split(" ", 2)[2:]
    parts = [part.strip() for text in texts for part in MASK.split(text)]
    return [part for part in parts if part not in {"", "FAIL"}]


def _remove_cut_word(text: str, limit: int) -> str:
    """Leave out the last word of what may have been cut within it."""
    return text if len(text) < limit else text.rpartition(" ")[0]


# -- Which cure is for it --------------------------------------------------------------------------


def find_subjects(text: str) -> frozenset[str]:
    """Give the words that tell what an error or a change is about."""
    words = (word.lower().rstrip("s") for word in _NAME_PART.findall(text))
    return frozenset(word for word in words if len(word) >= _MIN_SUBJECT) - _COMMON_WORDS


def fits_error(cure: Mapping[str, str], line: str, command: str, project: str) -> bool:
    """Say whether what made an error pass says something of this one, whose line is given."""
    is_same_line, change = normalise_line(cure["line"]) in normalise_line(line), cure["change"]
    if cure["how"] != "edit":
        # another way to call it, a command before it: of the same command alone, at a glance
        called = {word.rpartition("/")[2] for word in command.split()}
        action = cure["action"].replace("&&", " ").split()
        is_known = is_same_line or cure["how"] != "rephrase"
        return is_known and bool(action) and called.issuperset(action)
    if not change:
        return is_same_line and cure["project"] == project
    # in general: how a line was written otherwise, or how the rule was silenced
    is_general = change.startswith("- ") or find_code(cure["signature"]) in change
    if is_general and _is_lint(cure["signature"]):
        return True
    # names of code are of several words, since a plain word may be anything
    texts = (change, normalise_line(line))
    old_names, new_names = (set(filter(_CODED.search, _ERROR_WORD.findall(text))) for text in texts)
    return is_same_line or bool(old_names & new_names)


def choose_cures(
    cures: Iterable[Mapping[str, str]], text: str, command: str, project: str
) -> list[Mapping[str, str]]:
    """Choose one cure for each known error of a failed call, in the order of the text."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    best_cures: dict[str, tuple[int, tuple[bool, int, str, str], Mapping[str, str]]] = {}
    for cure in cures:
        signature = cure["signature"]
        line_number = find_matching_line(signature, cure["line"], lines)
        if line_number is None or not fits_error(cure, lines[line_number], command, project):
            continue
        own_words = find_subjects(normalise_line(lines[line_number])) - find_subjects(signature)
        shared_count = len(own_words & find_subjects(cure["change"]))
        rank = (cure["project"] == project, shared_count, cure["day"], cure["change"])
        if signature not in best_cures or best_cures[signature][1] < rank:
            best_cures[signature] = (line_number, rank, cure)
    ordered = sorted(best_cures.values(), key=lambda row: (row[0], row[2]["signature"]))
    return [cure for _, _, cure in ordered[:MAX_TOLD]]


# -- What is said ----------------------------------------------------------------------------------


def format_cure(cure: Mapping[str, str], project: str) -> str:
    """Give the line that tells of a cure in a session of that project."""
    project_words = "in this project" if cure["project"] == project else "in another project"
    link = f", [[{cure['log']}]]" if cure["log"] else ""
    code = find_code(cure["signature"])
    return (
        f"- {cure['day']} {project_words}{link}: {f'{code} ' if code else ''}{format_remedy(cure)}"
    )


def format_remedy(cure: Mapping[str, str]) -> str:
    """Say after what an error passed."""
    change = cure["change"].splitlines()
    file = format_code_span(cure["file"]) if cure["file"] else ""
    if cure["how"] == "edit":
        lines = " ".join(map(format_code_span, change))
        return f"passed after an edit{f' of {file}' if file else ''}{': ' if lines else ''}{lines}"
    if cure["how"] == "variable":
        where = f" in {file}" if file else ""
        return f"passed with the variable {format_code_span(cure['change'])} set{where}"
    if cure["how"] == "command":
        return f"passed after {format_code_span(change[0])}"
    call = [line.removeprefix("+ ") for line in change if not line.startswith("- ")]
    return f"passed when called as {' '.join(map(format_code_span, call))}"


def format_code_span(line: str) -> str:
    """Show a line as code, in marks that nothing in it ends, without what is too long."""
    text = " ".join(line.split())
    text = text if len(text) <= _MAX_LINE else text[: _MAX_LINE - 3] + "..."
    longest = max(map(len, _TICKS.findall(text)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {text} {mark}" if longest else f"`{text}`"


def compose_text(lines: Sequence[str], vault: str, boundary: str) -> str:
    """Give the text for a failed call, with what it went away after the last times."""
    return injection.compose({}, vault, boundary, ["\n".join([_OPENING, *lines])])
