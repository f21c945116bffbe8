"""Tell what of a prompt was pasted: logs by their lines, prose by its voice.

A program's output has its own look, line by line: timestamps, stacks, boxes, few letters. Prose
of others has its own voice: a review finding speaks about code and to nobody. The trap: a short
line with one long URL looks like a dump, and a person's specification also says "should".
"""

import re

from memoria.text.lazy_patterns import lazy_pattern

# -- Pasted logs, line by line --------------------------------------------------------------------

_LOG_LINE = lazy_pattern(
    r"""\s*(?:
      \[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:|\d\d:\d\d:\d\d   # a timestamp
      |\{"|\[\{"|</?[a-z]+[^<>]{0,80}>$                   # JSON, markup
      |at\ \S+\s?\(|goroutine\ \d|Traceback\b|File\ "     # stacks
      |[│┃├└┌╭╰─━═⎿▶✗✘\u00d7✻⏺●➜]
        |[$\u276f%]\s                      # boxes, the client's marks, shell prompts
      |(?:\+\+\+|---|@@|===)\s|diff\ --git|[+-]\s{2,}     # diffs, test runners
      |\S+\.\w{1,5}:\d+(?::\d+)?:\s                       # file.ext:12:
      |ok\s+\S+/\S+|(?:FAIL|PASS|SKIP)\b|\#\#\[           # go test, CI
      |(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b[\s:\]]
      |(?:panic|fatal|error|exception|warning|npm\ ERR!|E)(?::|\ \ )\s*\S|[A-Z]\w{2,40}(?:Error
        |Exception):\s
      |exit\ (?:code|status)\ \d
    )""",
    re.VERBOSE,
)
_GLUED = lazy_pattern(  # a log that begins in the middle of a line of prose
    r"""[\w.-]{1,40}@[\w.-]{1,60}\ \S{1,60}\ [%$\#]\ |\s---\ FAIL|\{"\w|\s\d{4}-\d\d-\d\dT\d\d:"
    r"|Traceback\ \(most|\bgoroutine\ \d+\ \[""",
    re.VERBOSE,
)
_TELLING = lazy_pattern(
    r"error|fail|fatal|panic|exception|denied|missing|cannot|not found", re.IGNORECASE
)
_URL = lazy_pattern(r"https?://\S+")
_FENCE = lazy_pattern(r"^ {0,3}(`{3,}[^`]*$|~~~)")  # no inline code in three backticks

_SHORT = 24  # below this many characters the share of letters says nothing
_PROSE = 0.6  # the share of letters and spaces that prose reaches and dumps do not
_LONGEST_WORD = 90  # characters: no word of prose; hashes, tokens and base64 are
_FEW = 6  # words: a line with a giant word and more than these is still prose


def _is_log(line: str) -> bool:
    """Whether a line was printed by a program and not typed."""
    line = _URL.sub("", line)
    if _LOG_LINE.match(line):
        return True
    if len(line.strip()) > _SHORT:
        prose_length = sum(char.isalpha() or char.isspace() for char in line)
        if prose_length < _PROSE * len(line):
            return True
    elif line.strip() and not any(char.isalnum() for char in line):
        return True
    words = line.split()
    return 0 < len(words) < _FEW and max(map(len, words)) > _LONGEST_WORD


def split_logs(text: str) -> tuple[str, list[str]]:
    """Part typed lines from pasted output; give the typed text, and the lines of the output."""
    typed: list[str] = []
    logs: list[str] = []
    in_fence = in_quote = in_log = False
    # typed, and not empty; looked for anew it would make empty lines cost their square
    last_line = ""
    for line in text.splitlines():
        is_fence = bool(_FENCE.match(line))
        # What stands indented under a line that ends in a colon is a quotation.
        in_quote = in_quote and line.startswith("  ") and not line.lstrip().startswith(("- ", "* "))
        # A line right below a log belongs to it, unless a person speaks in it.
        in_log = in_log and bool(line.strip()) and not _SPEAKER.search(line)
        if in_fence or is_fence or in_quote or in_log or _is_log(line):
            logs.append(line.strip())
            in_log = bool(line.strip())
        else:
            glued = _GLUED.search(line)
            border = glued.start() if glued else len(line)
            typed.append(line[:border].rstrip())
            logs.append(line[border:].strip())
            last_line = typed[-1] or last_line
            in_log = bool(glued)
        in_fence ^= is_fence
        if not line.strip() or line.rstrip().endswith(":"):
            in_quote = last_line.endswith(":")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(typed)).strip(), list(filter(None, logs))


def find_telling_line(logs: list[str]) -> str:
    """Give the line of pasted output that says best what went wrong, "" for none."""
    telling = [line for line in logs if _TELLING.search(line[:400])]
    # the first that says something in words, not only in a path and a number
    worded = (line for line in telling if len(re.findall(r"[A-Za-z]{3,}", line[:400])) > _FEW - 3)
    return next(worded, telling[0])[:300] if telling else ""


# -- Whose prose it is ----------------------------------------------------------------------------

_SPEAKER = lazy_pattern(  # a person who gives the agent something to do
    r"\b(?:i|i'm|i've|i'd|i'll|im|we|we're|we've|let's|lets|can you|could you|hmm|yeah)\b|^(?:add"
    r"|implement|create|use|make|fix|update|remove|write|don't|do|ensure|run|change|move|rename"
    r"|refactor|show|check|look|review|explain|find|build|try|put|set|merge|ignore|delete|stop"
    r"|no|but)\b",
    re.IGNORECASE,
)
# who speaks, and to whom, in the languages that developers type besides English
_OTHER_VOICES = r"""je|j'ai|moi|tu|te|vous|nous|mon|ich|mir|mich|wir|du|dir|mein|bitte|yo|mi|me|he
    |nosotros|por\ favor|eu|meu|minha|você|io|ho|mio|per\ favore|я|мне|мой|ты|мы|пожалуйста"""
_VOICE = lazy_pattern(
    _SPEAKER.pattern
    + r"|\b(?:our|my|me|you|your|please|pls)\b|[?\uff1f我你请私]|ください|\b(?:"
    + re.sub(r"\s*\n\s*", "", _OTHER_VOICES).replace("\\ ", " ")
    + r")\b",
    re.IGNORECASE,
)
_ADDRESS = lazy_pattern(
    r"\b(?:(?:can|could|would) you|let's|i (?:think|wonder|want|guess|need|have|had|saw|know)"
    r"|i(?:'ve|'m|'ll)|from now on|in (?:all|future) sessions?|(?:do|should|can) we)\b"
    r"|\?\s*$",
    re.IGNORECASE,
)
_HANDOVER = lazy_pattern(
    r"(?:can|could) you (?:please )?(?:check|address|look at|fix|verify|review)"
    r"|(?:please )?(?:check|address|fix)\b",
    re.IGNORECASE,
)
_REPORT = lazy_pattern(
    r"\b(?:consider|should|could|might|would|severity|currently|this (?:means|causes|allows|is"
    r"|function|comment)"
    r"|is (?:never|not|only|defined|duplicated|used|called)|unused|dead code|ensure"
    r"|potential(?:ly)?)\b|(?-i:[a-z][A-Z]\w)|\w\(\)",
    re.IGNORECASE,
)
_FINDING = 200  # characters: shorter ones are typed
_SHARE = 0.34  # of the sentences: more than a third in the user's voice are the user's


def is_pasted(text: str) -> bool:
    """Whether someone else wrote this prose: long, about code, and nobody is spoken to in it."""
    if len(text) < _FINDING or len(_REPORT.findall(text)) < 2:  # noqa: PLR2004 - one may be chance
        return False
    parts = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", text) if part]
    if any(_ADDRESS.search(part) for part in parts[1:]):
        return False
    voices = [bool(_VOICE.search(part)) for part in parts]
    if voices[0]:  # "can you check:" is the user's for certain; what follows need not be
        rest = voices[1:]
        return bool(_HANDOVER.match(text)) and bool(rest) and sum(rest) <= _SHARE * len(rest)
    return sum(voices) <= _SHARE * len(voices)
