"""Text of a prompt, steer, refusal or answer -> Ask: what the user really said.

What the client stores as "user" is often written by others: reminders and command output by the
harness, logs and review findings that were pasted, a plan that a model wrote. Rules and entries may
rest on the user's own words alone, so all else is cut away here, once. The trap: a short prompt with
one long URL looks like a log, and a review finding is full of "should" and "never".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.stages.transcript import Call, Steer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memoria.stages.transcript import Transcript

How = Literal["prompt", "steer", "refusal", "answer"]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is left of a text that the client ascribes to the user.

    `text` is what was said, line breaks kept, without harness elements, logs and private spans; ""
    if nothing is left. `is_plan`: a model wrote it, the user approved it. `is_command`: it is
    "/name arguments". `pasted`: prose that someone else wrote, such as a review finding; it wants
    an answer but is not the user's words. `trivial`: an acknowledgement or a bare order ("yes",
    "commit and push"). `trace` is the most informative line of what was cut away as a log.
    """

    text: str = ""
    is_plan: bool = False
    is_command: bool = False
    pasted: bool = False
    trivial: bool = False
    trace: str = ""

    @property
    def own(self) -> bool:
        """Whether `text` holds the user's own words."""
        return bool(self.text) and not (self.is_plan or self.pasted or self.is_command)


@dataclass(frozen=True, slots=True)
class Answer:
    """The user's reply to a question of the client; `free` where it is none of the labels."""

    question: str
    text: str
    free: bool


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing the user said: how, in which turn (its index), and about which call, if any."""

    ask: Ask
    how: How
    turn: int
    at: datetime
    call: Call | None = None


def ask(prompt: str) -> Ask:
    """Strip a prompt (or steer, reason, answer) down to what the user said."""
    text = _without_elements(prompt, _PRIVATE).strip()
    if _FOREIGN_START.match(text):
        return Ask()
    if plan := _PLAN_START.match(text):
        return Ask(_PLAN_END.split(text[plan.end() :])[0].strip(), is_plan=True)
    if "<command-name>" in text:
        return _command(text)
    text = _ANSI.sub("", _MARKER.sub("", _without_elements(text, _ELEMENT))).strip()
    if _BUILT_IN.fullmatch(text):
        return Ask()
    text, trace = _without_logs(text)
    if re.match(r"/[a-z][\w:-]+(\s|$)", text):
        return Ask(text, is_command=True)
    return Ask(text, pasted=_is_pasted(text), trivial=_is_trivial(text), trace=trace)


def refusal(call: Call) -> Ask | None:
    """Give the reason with which the user refused a tool call, None where there is none."""
    if not call.is_error:
        return None
    said = _REFUSAL.search(call.result[:4000])  # the reason follows a fixed preamble of 300
    reason = ask(call.result[said.end() :]) if said else Ask()
    return (
        reason if reason.text and not reason.text.startswith("The user wants to clarify") else None
    )


def answers(call: Call) -> tuple[Answer, ...]:
    """Give what the user replied to the questions of an AskUserQuestion call, in order."""
    if call.name != "AskUserQuestion" or call.is_error:
        return ()
    labels = set(_LABEL.findall(call.argument("questions")))
    return tuple(
        Answer(question, text, not ({text} | set(text.split(", "))) & labels)
        for question, text in _ANSWER.findall(call.result)
        if text
    )


def utterances(transcript: Transcript) -> Iterator[Utterance]:
    """Yield what the user said in the order of time: prompts, steers, refusals, free answers.

    A chosen label is not among them: the assistant wrote it.
    """
    for index, turn in enumerate(transcript.turns):
        if (said := ask(turn.prompt)).text:
            yield Utterance(said, "prompt", index, turn.at)
        for step in turn.steps:
            if isinstance(step, Steer) and (said := ask(step.text)).text:
                yield Utterance(said, "steer", index, step.at)
            elif isinstance(step, Call):
                yield from _about(step, index)


def _about(call: Call, turn: int) -> Iterator[Utterance]:
    """Yield what the user said by refusing a call or by answering it freely."""
    if reason := refusal(call):
        yield Utterance(reason, "refusal", turn, call.at, call)
    for answer in answers(call):
        if answer.free and (said := ask(answer.text)).text:
            yield Utterance(said, "answer", turn, call.at, call)


# -- What is not the user's: elements and openings that the client or a hook wrote ----------------

_PRIVATE = re.compile(r"<(private)\b[^<>]{0,200}>", re.IGNORECASE)
_ELEMENT = re.compile(
    r"<(system-reminder|local-command-[a-z]{1,20}|command-(?:message|args|contents)"
    r"|bash-(?:input|stdout|stderr)"
    r"|ide_[a-z_]{1,40}|task-notification|teammate-message|user-prompt-submit-hook"
    r"|[a-z-]{1,40}-hook"
    r"|persisted-output|new-diagnostics|fork-boilerplate"
    r"|background-task-[a-z]{1,20})\b[^<>]{0,400}>"
)
_FOREIGN_START = re.compile(
    r"Operation stopped by hook:|Caveat: The messages below|This session is being continued"
    r"|Base directory for this skill:|Continue from where you left off"
    r"|\[Request interrupted by user"
)
_PLAN_START = re.compile(r"Implement the following plan:\s*")
_PLAN_END = re.compile(r"\n\s*If you need specific details from before exiting plan mode")
_MARKER = re.compile(r"\[(?:Image|Pasted text)[^\]\n]{0,80}\]")
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,20}[a-zA-Z]|\x1b\][^\x07]{0,200}\x07|[\x00-\x08\x0b-\x1f\x7f]")
_BUILT_IN = re.compile(
    r"/?(?:add-dir|agents|bashes|btw|bug|chrome|clear|compact|config|context|cost|doctor|effort"
    r"|exit"
    r"|export|fast|feedback|help|hooks|ide|init|install-github-app|keybindings|login|logout|mcp"
    r"|memory|model"
    r"|output-style|permissions|plan|plugin|privacy-settings|quit|release-notes|reload-plugins"
    r"|rename|resume"
    r"|rewind|sandbox|stats|status|statusline|tasks|terminal-setup|theme|todos|upgrade|usage"
    r"|vim)\s*"
)
_REFUSAL = re.compile(r"the user said:\s*|reason for the rejection:\s*|rejected with feedback:\s*")
_LABEL = re.compile(r'"label": ?"((?:[^"\\]|\\.){1,200})"')
_ANSWER = re.compile(
    r'"([^"]{3,600})"="(.{0,2000}?)"(?=, "|\. You can|\s*$| user notes)', re.DOTALL
)


def _without_elements(text: str, opening: re.Pattern[str]) -> str:
    """Cut each element out whole; one that is never closed reaches to the end.

    A search for the closing tag by `find` keeps this linear where a lazy pattern is not.
    """
    kept, at = [], 0
    while match := opening.search(text, at):
        kept.append(text[at : match.start()])
        closing = f"</{match[1]}>"
        end = text.lower().find(closing.lower(), match.end())
        if end < 0:
            return "".join(kept)
        at = end + len(closing)
    return "".join([*kept, text[at:]])


def _command(text: str) -> Ask:
    """Read a slash command from its elements; those that steer the client alone say nothing."""
    name = re.search(r"<command-name>\s*(/?[^<\s]{1,80})", text)
    args = re.search(r"<command-args>([^<]*(?:<(?!/command-args>)[^<]*)*)", text)
    if not name or _BUILT_IN.fullmatch(name[1]):
        return Ask()
    said = args[1].strip() if args else ""
    return Ask(f"/{name[1].lstrip('/')} {said}".strip(), is_command=True)


# -- Pasted logs, line by line --------------------------------------------------------------------

_LOG_LINE = re.compile(
    r"""\s*(?:
      \[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:|\d\d:\d\d:\d\d   # a timestamp
      |\{"|\[\{"|</?[a-z]+[^<>]{0,80}>$                   # JSON, markup
      |at\ \S+\s?\(|goroutine\ \d|Traceback\b|File\ "     # stacks
      |[│┃├└┌╭╰─━═⎿▶✗✘\u00d7✻⏺●]
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
_GLUED = re.compile(  # a log that begins in the middle of a line of prose
    r"""[\w.-]{1,40}@[\w.-]{1,60}\ \S{1,60}\ [%$\#]\ |\s---\ FAIL|\{"\w|\s\d{4}-\d\d-\d\dT\d\d:"
    r"|Traceback\ \(most|\bgoroutine\ \d+\ \[""",
    re.VERBOSE,
)
_TELLING = re.compile(
    r"error|fail|fatal|panic|exception|denied|missing|cannot|not found", re.IGNORECASE
)
_URL = re.compile(r"https?://\S+")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")

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
        prose = sum(char.isalpha() or char.isspace() for char in line)
        if prose < _PROSE * len(line):
            return True
    elif line.strip() and not any(char.isalnum() for char in line):
        return True
    words = line.split()
    return 0 < len(words) < _FEW and max(map(len, words)) > _LONGEST_WORD


def _without_logs(text: str) -> tuple[str, str]:
    """Part typed lines from pasted output; give the first and the most telling line of the "
    "other."""
    typed: list[str] = []
    logs: list[str] = []
    fenced = quoting = running = False
    for line in text.splitlines():
        fence = bool(_FENCE.match(line))
        # What stands indented under a line that ends in a colon is a quotation.
        quoting = quoting and line.startswith("  ") and not line.lstrip().startswith(("- ", "* "))
        # A line right below a log belongs to it, unless a person speaks in it.
        running = running and bool(line.strip()) and not _SPEAKER.search(line)
        if fenced or fence or quoting or running or _is_log(line):
            logs.append(line.strip())
            running = bool(line.strip())
        else:
            glued = _GLUED.search(line)
            typed.append(line[: glued.start()].rstrip() if glued else line.rstrip())
            logs += [line[glued.start() :].strip()] if glued else []
            running = bool(glued)
        fenced ^= fence
        if not line.strip() or line.rstrip().endswith(":"):
            quoting = _last(typed).endswith(":")
    told = [line for line in logs if _TELLING.search(line[:400])]
    trace = min(told, key=lambda line: not _has_words(line)) if told else ""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(typed)).strip(), trace[:300]


def _last(lines: list[str]) -> str:
    """Give the last line that is not empty, "" where there is none."""
    return next((line for line in reversed(lines) if line), "")


def _has_words(line: str) -> bool:
    """Whether a line says something in words, not only in a path and a number."""
    return len(re.findall(r"[A-Za-z]{3,}", line[:400])) > _FEW - 3


# -- Whose prose it is ----------------------------------------------------------------------------

_SPEAKER = re.compile(  # a person who gives the agent something to do
    r"\b(?:i|i'm|i've|i'd|i'll|im|we|we're|we've|let's|lets|can you|could you|hmm|yeah)\b"
    r"|^(?:add|implement|create|use|make|fix|update|remove|write|don't|do|ensure|run|change|move"
    r"|rename"
    r"|refactor|show|check|look|review|explain|find|build|try|put|set|merge|ignore|delete|stop"
    r"|no|but)\b",
    re.IGNORECASE,
)
_VOICE = re.compile(_SPEAKER.pattern + r"|\b(?:our|my|me|you|your|please|pls)\b|\?", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\b(?:(?:can|could|would) you|let's|i (?:think|wonder|want|guess)|(?:do|should|can) we)\b"
    r"|\?\s*$",
    re.IGNORECASE,
)
_HANDOVER = re.compile(
    r"(?:can|could) you (?:please )?(?:check|address|look at|fix|verify|review)"
    r"|(?:please )?(?:check|address|fix)\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\b(?:consider|should|could|might|would|severity|currently|this (?:means|causes|allows|is"
    r"|function|comment)"
    r"|is (?:never|not|only|defined|duplicated|used|called)|unused|dead code|ensure"
    r"|potential(?:ly)?)\b|[a-z][A-Z]\w|\w\(\)",
    re.IGNORECASE,
)
_FINDING = 200  # characters: shorter ones are typed
_OWN_SHARE = 0.34  # of the sentences: more than a third in the user's voice are the user's
_BORROWED_SHARE = 0.2  # the same behind "can you check", which is the user's for certain


def _is_pasted(text: str) -> bool:
    """Whether someone else wrote this prose: long, about code, and nobody is spoken to in it."""
    if len(text) < _FINDING or len(_REPORT.findall(text)) < 2:  # noqa: PLR2004 - one may be chance
        return False
    parts = [part for part in re.split(r"(?<=[.!?:])\s+|\n+", text) if part]
    if any(_ADDRESS.search(part) for part in parts[1:]):
        return False
    share = sum(bool(_VOICE.search(part)) for part in parts) / len(parts)
    if _VOICE.search(parts[0]):
        return bool(_HANDOVER.match(text)) and share <= _BORROWED_SHARE
    return share <= _OWN_SHARE


_ORDER_WORDS = frozenset(
    "a again all also and approved awesome both branch but can changes commit continue cool "
    "could create "
    "did do done draft fine first fix force from git go good great hello hey hi it just keep "
    "latest let's lets "
    "lgtm main make merge my nice no now of ok okay on one open origin perfect please pls pr "
    "proceed "
    "pull push ready really rebase right run so sorry sounds sure thank thanks that the them "
    "then these "
    "they think this those to too try up works yeah yep yes yet you".split()
)
_MOST_ORDER_WORDS = 9  # "can you commit this and then push and open a draft pr" is the longest seen


def _is_trivial(text: str) -> bool:
    """Whether a text is only assent or an order that any session could hold."""
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.lower().replace("\u2019", "'"))  # noqa: RUF001 - typed apostrophes
    return len(words) <= _MOST_ORDER_WORDS + 3 and all(
        word in _ORDER_WORDS or word.isdigit() for word in words
    )
