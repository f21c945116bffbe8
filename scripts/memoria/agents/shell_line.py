"""Write the words of a hook as a line for the shell that its client starts, and read them again.

A line ends with 0 whatever is gone, or prompts would stop there. On Windows cmd (Codex, OpenCode)
takes single quotes for letters, and PowerShell 5 (Gemini CLI, Copilot CLI) a quoted program for a
text and `||` for an error. The trap: Codex quotes the line once more in a way that cmd does not
read, so it may hold no quotes at all; words that need them are given to PowerShell, encoded.
"""

import base64
import re
import shlex

SH, CMD, POWERSHELL = "sh", "cmd", "powershell"
_OR_SILENT = " || exit 0"
_CALL, _THEN_SILENT = "& ", "; exit 0"
_ENCODED = "powershell -NoProfile -NonInteractive -EncodedCommand "
# what both shells of Windows take as it stands
_PLAIN = re.compile(r"[\w:\\/.+-]+")
# PowerShell takes each of these for a single quote
_ANY_QUOTE = re.compile("(['\u2018-\u201b])")
_DOUBLED_QUOTE = re.compile("(['\u2018-\u201b])\\1")
# "'C:\\my notes'" or "-S"
_WORD = re.compile(r"'((?:[^']|'')*)'|(\S+)")


def format_shell_line(words: tuple[str, ...], shell: str = SH) -> str:
    """Give the line that runs a program with its arguments, and drops its exit code."""
    if shell == SH:
        return shlex.join(words) + _OR_SILENT
    if shell == CMD and all(map(_PLAIN.fullmatch, words)):
        return " ".join(words) + _OR_SILENT
    quoted_words = {word: "'{}'".format(_ANY_QUOTE.sub(r"\1\1", word)) for word in words}
    shell_words = (word if _PLAIN.fullmatch(word) else quoted_words[word] for word in words)
    line = _CALL + " ".join(shell_words) + _THEN_SILENT
    if shell == POWERSHELL:
        return line
    return _ENCODED + base64.b64encode(line.encode("utf-16-le")).decode()


def parse_shell_line(line: str) -> list[str]:
    """Read the words of a line that `format_shell_line` gave; [] for any other, a person's own."""
    try:
        if line.startswith(_ENCODED):
            line = base64.b64decode(line.removeprefix(_ENCODED)).decode("utf-16-le")
        if line.startswith(_CALL) and line.endswith(_THEN_SILENT):
            pairs = _WORD.findall(line.removeprefix(_CALL).removesuffix(_THEN_SILENT))
            return [plain or _DOUBLED_QUOTE.sub(r"\1", quoted) for quoted, plain in pairs]
        if _OR_SILENT not in line:
            return []
        # behind a drive cmd's, in which a backslash is a letter
        split = str.split if line[1:2] == ":" or line.startswith("\\\\") else shlex.split
        return split(line.removesuffix(_OR_SILENT))
    except ValueError:  # no shell could run it
        return []
