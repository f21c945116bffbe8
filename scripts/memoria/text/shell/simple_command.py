"""Hold one command of a shell call, as words without quotes."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

# what means something within double quotes
IN_DOUBLE = frozenset('"\\$`')


class Simple:
    """One command: a program and its arguments.

    `words` are without quotes; `name` is the program without its folder; `under` names the programs
    that run it, outermost first ("sudo", "uv run", "bash"); `assigned` are settings of variables
    before it (`CI=1`); `writes` are the files that its output is redirected to, `body` is what a
    here-document gives it.
    """

    __slots__ = ("assigned", "body", "name", "under", "words", "writes")

    def __init__(
        self,
        words: tuple[str, ...],
        under: tuple[str, ...] = (),
        assigned: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
        body: str = "",
    ) -> None:
        self.words, self.under, self.assigned = words, under, assigned
        self.writes, self.body = writes, body
        self.name = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")

    def __repr__(self) -> str:
        return f"Simple({' '.join((*self.under, ':', *self.assigned, *self.words))!r})"


def is_setting(word: str) -> bool:
    """Whether a word sets a variable for the command that follows."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.removesuffix("+").isidentifier()


def printed(ran: Sequence[Simple]) -> str:
    """Give what these commands print where that stands in the text: `echo`, `cat <<EOF`."""
    if len(ran) != 1 or ran[0].name not in {"echo", "printf", "cat"}:
        return ""
    (one,) = ran
    if one.name == "cat":
        return one.body if len(one.words) == 1 else ""
    return " ".join(word for word in one.words[1:] if word not in {"-e", "-n", "-E"})


def unescaped(char: str) -> str:
    """Give what a backslash and this character stand for within double quotes."""
    return "" if char == "\n" else char if char in IN_DOUBLE else "\\" + char


def plain(text: str) -> str:
    """Give what stands within $'...', with the escapes that could hide a letter."""
    first, *rest = text.split("\\")
    return first + "".join(_escape(part) for part in rest)


def _escape(part: str) -> str:
    if part[:1] in {"x", "u", "U"}:
        digits = part[1:3] if part[0] == "x" else part[1:5]
        base, after = 16, part[1 + len(digits) :]
    elif part[:1].isdigit():
        digits, base, after = part[:3], 8, part[3:]
    else:
        return {"n": "\n", "t": "\t", "r": "\r"}.get(part[:1], part[:1]) + part[1:]
    try:
        return chr(int(digits, base)) + after
    except ValueError:
        return part
