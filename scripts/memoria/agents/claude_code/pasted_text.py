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
# a log that begins in the middle of a line of prose: "it says ana@laptop shop % make test"
_GLUED_LOG = lazy_pattern(
    r"""[\w.-]{1,40}@[\w.-]{1,60} \S{1,60} [%$#] |\s--- FAIL|\{"\w|Traceback \(most"""
    r"""|\bgoroutine \d+ \["""
)
# of a line of output that says what went wrong
_TELLING = lazy_pattern(r"(?i)error|fail|fatal|panic|exception|denied|missing|cannot|not found")
_URL = lazy_pattern(r"https?://\S+")
_FENCE = lazy_pattern(r"^ {0,3}(`{3,}[^`]*$|~~~)")  # "```py"; not "```x``` does it"

_MIN_JUDGED = 24  # characters: of fewer the share of letters says nothing
_PROSE_SHARE = 0.6  # of letters and spaces, which prose reaches and dumps do not
_MAX_WORD = 90  # characters: no word of prose has more; hashes, tokens and base64 do
_PROSE_WORDS = 6  # a line with a giant word and no fewer words than these is still prose
_MIN_TELLING_WORDS = 4  # of a line that says something in words, not only in a path and a number
_MAX_TELLING = 400  # characters of a line that are looked at


def _is_log(line: str) -> bool:
    """Whether a line was printed by a program and not typed."""
    line = _URL.sub("", line)
    if _LOG_LINE.match(line):
        return True
    if len(line.strip()) > _MIN_JUDGED:
        prose_length = sum(map(str.isalpha, line)) + sum(map(str.isspace, line))
        if prose_length < _PROSE_SHARE * len(line):
            return True
    elif line.strip() and not any(char.isalnum() for char in line):
        return True
    words = line.split()
    return 0 < len(words) < _PROSE_WORDS and max(map(len, words)) > _MAX_WORD


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
            glued = _GLUED_LOG.search(line)
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
    telling = [line for line in logs if _TELLING.search(line[:_MAX_TELLING])]
    worded = (line for line in telling if _count_words(line[:_MAX_TELLING]) >= _MIN_TELLING_WORDS)
    return next(worded, telling[0])[:300] if telling else ""


def _count_words(line: str) -> int:
    return len(re.findall(r"[A-Za-z]{3,}", line))


# -- Whose prose it is ----------------------------------------------------------------------------

# a person who gives the agent something to do: "fix the login", "let's keep it", "I'm not sure"
_SPEAKS = (
    r"\b(?:i|i'm|i've|i'd|i'll|im|we|we're|we've|let's|lets|can you|could you|hmm|yeah)\b|^(?:add"
    r"|implement|create|use|make|fix|update|remove|write|don't|do|ensure|run|change|move|rename"
    r"|refactor|show|check|look|review|explain|find|build|try|put|set|merge|ignore|delete|stop"
    r"|no|but)\b"
)
_SPEAKER = lazy_pattern(_SPEAKS, re.IGNORECASE)
# who speaks, and to whom, in the languages that developers type besides English: "je", "du", "мне"
_OTHER_VOICES = r"""je|j'ai|moi|tu|te|vous|nous|mon|ich|mir|mich|wir|du|dir|mein|bitte|yo|mi|me|he
    |nosotros|por\ favor|eu|meu|minha|você|io|ho|mio|per\ favore|я|мне|мой|ты|мы|пожалуйста"""
# a sentence in the user's voice: the same, "is it ours?", "would you"
_VOICE = lazy_pattern(
    _SPEAKS
    + r"|\b(?:our|my|me|you|your|please|pls)\b|[?\uff1f我你请私]|ください|\b(?:"
    + re.sub(r"\s*\n\s*", "", _OTHER_VOICES).replace("\\ ", " ")
    + r")\b",
    re.IGNORECASE,
)
# a sentence that only the user can say: "could you look", "I think so", "why is that?"
_ADDRESS = lazy_pattern(
    r"\b(?:(?:can|could|would) you|let's|i (?:think|wonder|want|guess|need|have|had|saw|know)"
    r"|i(?:'ve|'m|'ll)|from now on|in (?:all|future) sessions?|(?:do|should|can) we)\b"
    r"|\?\s*$",
    re.IGNORECASE,
)
# how a paste is handed over: "Please check:", "can you verify this"
_HANDOVER = lazy_pattern(
    r"(?:can|could) you (?:please )?(?:check|address|look at|fix|verify|review)"
    r"|(?:please )?(?:check|address|fix)\b",
    re.IGNORECASE,
)
# words of a report on code: "consider renaming", "is never called", "getUser", "save()"
_REPORT = lazy_pattern(
    r"\b(?:consider|should|could|might|would|severity|currently|this (?:means|causes|allows|is"
    r"|function|comment)"
    r"|is (?:never|not|only|defined|duplicated|used|called)|unused|dead code|ensure"
    r"|potential(?:ly)?)\b|(?-i:[a-z][A-Z]\w)|\w\(\)",
    re.IGNORECASE,
)
# of these, what who types in haste wishes for; a page can be in small letters, too
_WISHES = frozenset({"should", "could", "would", "might"})
# the word with which a sentence begins; not a name: "getUser", "worker.py", "is_idle"
_OPENING = lazy_pattern(r"(?:\A|(?<=[.!?])\s+|\n[ \t]*)([^\W\d_]+)(?![\w.(/:-])")
_MIN_PASTED = 200  # characters: shorter ones are typed
_MAX_VOICE_SHARE = 0.34  # of the sentences: with more than a third in the user's voice it is theirs


def is_pasted(text: str) -> bool:
    """Whether someone else wrote this prose: long, about code, and nobody is spoken to in it."""
    reporting = _REPORT.findall(text)
    if len(text) < _MIN_PASTED or len(reporting) < 2:  # noqa: PLR2004 - one may be chance
        return False
    if _is_hasty(text) and sum(word.casefold() not in _WISHES for word in reporting) <= 1:
        return False
    parts = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", text) if part]
    if any(_ADDRESS.search(part) for part in parts[1:]):
        return False
    voices = [bool(_VOICE.search(part)) for part in parts]
    if voices[0]:  # "can you check:" is the user's for certain; what follows need not be
        del voices[0]
        if not voices or not _HANDOVER.match(text):
            return False
    return sum(voices) <= _MAX_VOICE_SHARE * len(voices)


def _is_hasty(text: str) -> bool:
    """Whether its sentences begin with small letters: who writes a report begins with a capital."""
    openings = _OPENING.findall(text)
    return text[:1].islower() and 2 * sum(map(str.islower, openings)) > len(openings)
