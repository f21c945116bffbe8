"""Find the simple commands in the text of a shell call, those within other commands included.

A guard has to see `git push` behind `cd x &&`, `sudo`, `bash -c "..."` and `$(...)`, so the shell's
grammar is followed as far as words go: quotes, pipes, lists, subshells, here-documents, variables
that the same text sets. Nothing is run and no file is read. What is only known when it runs (a
script's content, a base64 text, an alias of the person's shell) is not seen.
"""

from __future__ import annotations

from memoria.text.shell import simple_command as simple
from memoria.text.shell.simple_command import IN_DOUBLE, SimpleCommand

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 60_000  # characters of a call that are read: a command with a file's text in it fits
_MAX_SHELL_DEPTH = 8  # shells within shells: a person writes two
_BLANK, _ENDS = " \t\r", ";&|()"
_PAIRS, _PIPES = ("&&", "||", "|&"), ("|", "|&")
_SPECIAL = frozenset(_BLANK + _ENDS + "\n<>\\'\"`$")
# of the same beginning the longer ones first
_REDIRECTS = ("<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>>", "&>")
_WRITING_REDIRECTS = frozenset({">>", ">|", ">", "&>>", "&>"})
# words that stand before a command; of those in the second line no command follows
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"})
_NO_COMMAND = frozenset({"for", "select", "case", "function", "fi", "done", "esac", "}"})
_SETTING_COMMANDS = frozenset({"export", "declare", "local", "readonly", "typeset"})
_UNKNOWN_OUTPUT = "$()"  # what a command prints that only runs later
_WORD_BREAK = "\0"  # stands for a space that an unquoted variable brought: it parts words


def parse_commands(text: str) -> tuple[SimpleCommand, ...]:
    """Give the commands of a shell call in the order in which they stand there."""
    reader = _CommandReader(text[:LONGEST].replace(_WORD_BREAK, ""))
    reader.read()
    return tuple(reader.commands)


class _CommandReader:
    """Reads a text, or the part of it up to a closing bracket; `commands` gets what it finds."""

    def __init__(self, text: str, outer: _CommandReader | None = None, at: int = 0) -> None:
        self.text, self.at = text, at
        self.commands: list[SimpleCommand] = outer.commands if outer else []
        self.depth: int = outer.depth + 1 if outer else 0
        # variables and aliases that the text has set so far
        self.variables: dict[str, str] = outer.variables if outer else {}
        self.under: tuple[str, ...] = outer.under if outer else ()
        self.skips: dict[int, int] = {}  # end of a line -> end of the here-documents after it
        # what stands before the next command, None within another command
        self.operator: str | None = None if outer else ""
        self._reset()
        self.pipe_source: SimpleCommand | None = None

    def _reset(self) -> None:
        self.words: list[str] = []
        self.writes: list[str] = []
        self.body = ""
        self.is_quoted = False
        self.is_inverted = False

    def read(self, *, inner: bool = False) -> int:
        """Read to the end, or with `inner` past the bracket that closes; give the place after."""
        brackets, size = 0, len(self.text)
        while self.at < size:
            char = self.text[self.at]
            if char in _BLANK:
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "\n":
                # past the here-documents that began in this line
                self.at = self.skips.get(self.at, self.at + 1)
                self._end_command("\n")
            elif char == "#":
                self.at = self._find("\n", size)
            elif self._is_redirect(char):
                self._read_redirect()
            elif char in _ENDS:
                if char == ")" and inner and not brackets:
                    break
                brackets += {"(": 1, ")": -1}.get(char, 0)
                self._read_operator(char)
            else:
                self._add_word()
        self._end_command()
        return self.at + 1

    # -- What stands between commands --------------------------------------------------------------

    def _read_operator(self, char: str) -> None:
        following = self.text[self.at + 1 : self.at + 40]
        if char == "(" and len(self.words) == 1 and following.lstrip().startswith(")"):
            self.words = []  # the name of a function; what it does stands behind it
        sign = next((pair for pair in _PAIRS if self.text.startswith(pair, self.at)), char)
        self.at += len(sign)
        self._end_command(sign)

    def _read_here_document(self, delimiter: str, *, is_stripped: bool) -> str:
        """Take a here-document, which begins after this line, or after the one before it."""
        text, size = self.text, len(self.text)
        line_end = self._find("\n", size)
        start = at = self.skips.get(line_end, line_end + 1)
        body = ""
        while at < size:
            end = text.find("\n", at)
            end = size if end < 0 else end
            line = text[at:end]
            at = end + 1
            if (line.lstrip("\t") if is_stripped else line) == delimiter:
                break
            body = text[start:end]
        self.skips[line_end] = at
        # a quoted delimiter says that nothing in it is expanded
        if not self.is_quoted and self.depth < _MAX_SHELL_DEPTH and ("$(" in body or "`" in body):
            _CommandReader(body, self).read_quoted(stop="")
        return body

    def _is_redirect(self, char: str) -> bool:
        following = self.text[self.at + 1 : self.at + 2]
        return (char in "<>" and following != "(") or (char == "&" and following == ">")

    def _read_redirect(self) -> None:
        sign = next(redirect for redirect in _REDIRECTS if self.text.startswith(redirect, self.at))
        self.at += len(sign)
        while self.text[self.at : self.at + 1] in {" ", "\t"}:
            self.at += 1
        self.is_quoted = False
        target = self._read_word().replace(_WORD_BREAK, " ")
        if sign in {"<<", "<<-"}:
            self.body = self._read_here_document(target, is_stripped=sign == "<<-")
        elif sign == "<<<":
            self.body = target
        elif sign in _WRITING_REDIRECTS or (sign == ">&" and not target.lstrip("-").isdigit()):
            self.writes += [target] * (target not in {"", "-", "/dev/null"})

    # -- Words -------------------------------------------------------------------------------------

    def _add_word(self) -> None:
        word = self._read_word()
        if word.isdigit() and self.text[self.at : self.at + 1] in {"<", ">"}:
            return  # of a redirection: 2>errors
        if not self.words and word in _KEYWORDS and not self.is_quoted:
            self.is_inverted ^= word == "!"
            return
        if self.words[:1] == ["function"] and word == "{":
            self.words = []  # what a function does stands behind its name
            return
        self.words += word.split(_WORD_BREAK) if _WORD_BREAK in word else [word]

    def _read_word(self) -> str:
        parts, text, size = [], self.text, len(self.text)
        while self.at < size:
            char = text[self.at]
            if char not in _SPECIAL:
                parts.append(self._read_until_any(_SPECIAL))
            elif char in "<>" and text[self.at + 1 : self.at + 2] == "(" and not parts:
                self._read_substitution()
                parts.append("/dev/fd/63")
            elif char in "\\'\"`$":
                parts.append(self._read_special(char))
            else:
                break
        return "".join(parts)

    def _read_special(self, char: str) -> str:
        if char == "\\":
            self.at += 2
            self.is_quoted = True
            return self.text[self.at - 1 : self.at].replace("\n", "")
        if char == "`":
            return self._read_backtick()
        if char == "$":
            return "".join(
                _WORD_BREAK if letter.isspace() else letter for letter in self._read_dollar()
            )
        self.is_quoted = True
        self.at += 1
        return self.read_quoted() if char == '"' else self._read_until("'")

    def _read_until_any(self, ends: frozenset[str]) -> str:
        start, text, size = self.at, self.text, len(self.text)
        while self.at < size and text[self.at] not in ends:
            self.at += 1
        return text[start : self.at]

    def read_quoted(self, stop: str = '"') -> str:
        """Read the inside of double quotes, or with stop="" a text that is expanded like one."""
        parts = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == stop:
                self.at += 1
                break
            if char == "\\":
                parts.append(simple.unescape_double_quoted(self.text[self.at + 1 : self.at + 2]))
                self.at += 2
            elif char == "$":
                parts.append(self._read_dollar())
            elif char == "`":
                parts.append(self._read_backtick())
            else:
                start = self.at
                self.at += 1
                parts.append(self.text[start] + self._read_until_any(IN_DOUBLE))
        return "".join(parts)

    def _read_until(self, sign: str) -> str:
        start = self.at
        self.at = self._find(sign, len(self.text)) + 1
        return self.text[start : self.at - 1]

    def _find(self, sign: str, otherwise: int) -> int:
        at = self.text.find(sign, self.at)
        return otherwise if at < 0 else at

    # -- What is expanded --------------------------------------------------------------------------

    def _read_dollar(self) -> str:
        following = self.text[self.at + 1 : self.at + 2]
        if self.text.startswith("$((", self.at):
            self.at = self._find("))", len(self.text)) + 2
            return "0"
        if following == "(":
            return self._read_substitution()
        if following == "{":
            self.at += 2
            name = self._read_until("}")
            return self.variables.get(name, f"${{{name}}}")
        if following == "'":
            self.at += 2
            return simple.unescape_ansi(self._read_ansi_quoted())
        self.at += 1
        start = self.at
        while self.at < len(self.text) and (
            self.text[self.at].isalnum() or self.text[self.at] == "_"
        ):
            self.at += 1
        name = self.text[start : self.at]
        return self.variables.get(name, "$" + name)

    def _read_ansi_quoted(self) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] != "'":
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += 1
        return self.text[start : self.at - 1]

    def _read_substitution(self) -> str:
        """Read the commands of `$(...)` or `<(...)`; what they print is not known."""
        if self.depth >= _MAX_SHELL_DEPTH:
            self.at = len(self.text)
            return ""
        inner = _CommandReader(self.text, self, self.at + len("$("))
        inner.skips, count = self.skips, len(self.commands)
        self.at = inner.read(inner=True)
        return simple.find_printed_text(self.commands[count:]) or _UNKNOWN_OUTPUT

    def _read_backtick(self) -> str:
        self.at += 1
        count = len(self.commands)
        self._read_nested(self._read_until("`"), self.under)
        return simple.find_printed_text(self.commands[count:]) or _UNKNOWN_OUTPUT

    # -- Commands ----------------------------------------------------------------------------------

    def _read_nested(self, text: str, under: tuple[str, ...]) -> None:
        if self.depth < _MAX_SHELL_DEPTH:
            inner = _CommandReader(text, self)
            inner.under = under
            inner.read()

    def _end_command(self, sign: str = "") -> None:
        """End a command; `sign` is what ends it, and stands before the next one."""
        words, writes, body, previous = self.words, self.writes, self.body, self.pipe_source
        is_inverted = self.is_inverted
        operator, self.pipe_source = self.operator, None
        # a line that goes on behind an operator is no other list
        if operator is not None and sign not in "()" and (words or sign != "\n"):
            self.operator = sign
        self._reset()
        assigned = []
        while words and simple.is_setting(words[0]):
            assigned.append(words.pop(0))
        if not words or words[0] in _NO_COMMAND or not words[0]:
            self._remember(assigned)
            return
        if alias := self.variables.get(f"alias {words[0]}", ""):
            words[:1] = alias.split()
        if words[0] == "[[":
            writes = []
        command = SimpleCommand(tuple(words), self.under, tuple(assigned), tuple(writes), body)
        command.operator, command.is_inverted = operator, is_inverted
        self.commands.append(command)
        self.pipe_source = command if sign in _PIPES else None
        self._add_inner_commands(command, previous)

    def _add_inner_commands(self, command: SimpleCommand, previous: SimpleCommand | None) -> None:
        """Find the commands that a command runs."""
        if command.name in _SETTING_COMMANDS:
            self._remember(command.words[1:])
        elif command.name == "alias":
            self._remember([f"alias {word}" for word in command.words[1:]])
        if self.depth >= _MAX_SHELL_DEPTH:
            return
        script = simple.find_script(command.name, command.words)
        if script is None and simple.reads_script(command.name, command.words):
            script = command.body or simple.find_printed_text([previous] if previous else [])
        if script:
            self._read_nested(script, (*command.under, command.name))
        for name, words, settings in simple.find_inner_commands(command.name, command.words):
            under, assigned = (*command.under, name), (*command.assigned, *settings)
            inner = SimpleCommand(words, under, assigned, command.writes, command.body)
            self.commands.append(inner)
            self.depth += 1
            self._add_inner_commands(inner, previous)
            self.depth -= 1

    def _remember(self, settings: Sequence[str]) -> None:
        for setting in settings:
            name, sign, value = setting.partition("=")
            if sign and len(value) < LONGEST:
                self.variables[name] = value
