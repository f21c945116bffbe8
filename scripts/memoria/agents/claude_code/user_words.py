"""Read a prompt, steer, refusal or answer as an Ask: what the user really said.

What the client stores as "user" is often written by others: reminders and command output by the
harness, logs and review findings that were pasted, a plan that a model wrote. Rules and entries
may rest on the user's own words alone, so all else is cut away here, once. The trap: a short
prompt with one long URL looks like a log, and a review finding is full of "should" and "never".
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Literal, NamedTuple

from memoria.agents.claude_code.pasted_text import find_telling_line, is_pasted, split_logs
from memoria.agents.transcript import Call, Steer, Transcript
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import lowercase

How = Literal["prompt", "steer", "refusal", "answer"]


class Ask(NamedTuple):
    """What is left of a text that the client ascribes to the user.

    `text` is what was said, line breaks kept, without harness elements, logs and private spans; ""
    if nothing is left. `is_plan`: a model wrote it, the user approved it. `is_command`: it is
    "/name arguments". `pasted`: prose that someone else wrote, such as a review finding; it wants
    an answer but is not the user's words. `trivial`: an acknowledgement or a bare order ("yes",
    "commit and push"). `log` is what was cut away as a log, `trace` its most informative line.
    """

    text: str = ""
    is_plan: bool = False
    is_command: bool = False
    pasted: bool = False
    trivial: bool = False
    trace: str = ""
    log: str = ""

    @property
    def own(self) -> bool:
        """Whether `text` holds the user's own words."""
        return bool(self.text) and not (self.is_plan or self.pasted or self.is_command)


class Utterance(NamedTuple):
    """One thing the user said: how, in which turn (its index), and about which call, if any.

    `step` is the index of the step that came after it, 0 for a prompt.
    """

    ask: Ask
    how: How
    turn: int
    at: datetime
    call: Call | None = None
    step: int = 0


@lru_cache(maxsize=256)  # each detector that reads a prompt asks again
def parse_ask(prompt: str) -> Ask:
    """Strip a prompt (or steer, reason, answer) down to what the user said."""
    text = _strip_elements(prompt, _PRIVATE).strip()
    if _FOREIGN_START.match(text):
        return Ask()
    if plan_start := _PLAN_START.match(text):
        return Ask(_PLAN_END.split(text[plan_start.end() :])[0].strip(), is_plan=True)
    text = _strip_elements(text, _ELEMENT).strip()
    if text.startswith("<command-"):
        return _parse_command(text)
    text = _ANSI.sub("", _MARKER.sub("", text)).strip()
    if _BUILT_IN.fullmatch(text):
        return Ask()
    text, logs = split_logs(text)
    if re.match(r"/[a-z][\w:-]+(\s|$)", text):
        return Ask(text, is_command=True)
    trace, log = find_telling_line(logs), "\n".join(logs)
    return Ask(text, pasted=is_pasted(text), trivial=_is_trivial(text), trace=trace, log=log)


def list_utterances(
    transcript: Transcript, strip: Callable[[str], str] = str
) -> Iterator[Utterance]:
    """Yield what the user said in the order of time: prompts, steers, refusals, free answers.

    A chosen label is not among them: the assistant wrote it. `strip` takes out of each text what is
    not to be read.
    """
    for index, turn in enumerate(transcript.turns):
        if (words := parse_ask(strip(turn.prompt))).text:
            yield Utterance(words, "prompt", index, turn.at)
        for next_step, step in enumerate(turn.steps, 1):
            if isinstance(step, Steer) and (words := parse_ask(strip(step.text))).text:
                yield Utterance(words, "steer", index, step.at, step=next_step)
            elif isinstance(step, Call):
                if step.reason and (words := parse_ask(strip(step.reason))).text:
                    yield Utterance(words, "refusal", index, step.at, step, next_step)
                for answer in step.answers:
                    if answer.free and (words := parse_ask(strip(answer.text))).text:
                        yield Utterance(words, "answer", index, step.at, step, next_step)


# -- What is not the user's: elements and openings that the client or a hook wrote ----------------

_PRIVATE = lazy_pattern(r"<(private)\b[^<>]{0,200}>", re.IGNORECASE)
# what the client or a hook wrote into a prompt: "<system-reminder>", "<ide_opened_file ...>"
_ELEMENT_NAME = (
    r"system-reminder|local-command-[a-z]{1,20}|bash-(?:input|stdout|stderr)|ide_[a-z_]{1,40}"
    r"|task-notification|teammate-message|[a-z-]{1,40}-hook|persisted-output|new-diagnostics"
    r"|fork-boilerplate|(?:background-task|scheduled)-[a-z]{1,20}"
)
_ELEMENT = lazy_pattern(rf"<({_ELEMENT_NAME})\b[^<>]{{0,400}}>")
_ELEMENT_END = lazy_pattern(rf"(?i)</(?:{_ELEMENT_NAME})\s*>")
# what may not stand in one: it would end it, begin another or be a command's arguments
_TAG = lazy_pattern(rf"(?i)</?(?:{_ELEMENT_NAME}|command-[a-z]{{1,20}})\b[^<>]{{0,400}}>")
_PRIVATE_MARK = lazy_pattern(r"(?i)<\s{0,9}(/?)\s{0,9}private\b[^<>]{0,200}>")
# of one text, what the client may put before a person's words
_BEFORE_WORDS = ("system-reminder", "ide_")
# how a prompt begins that no person typed
_FOREIGN_START = lazy_pattern(
    r"Operation stopped by hook:|\w{2,40}(?::\S{1,80})? hook feedback:|Caveat: The messages below"
    r"|This session is being continued|Base directory for this skill:"
    r"|Continue from where you left off"
    r"|\[Request interrupted by user"
)
_PLAN_START = lazy_pattern(r"Implement the following plan:\s*")
_PLAN_END = lazy_pattern(r"\n\s*If you need specific details from before exiting plan mode")
# "[Pasted text #1 +12 lines]", and "[[ ## query ## ]]" of a program that writes prompts (DSPy)
_MARKER = lazy_pattern(
    r"\[(?:Image|Pasted text)[^\]\n]{0,80}\]|^\[\[ ## \w{1,40} ## \]\]$", re.MULTILINE
)
# colours, titles of a window and control characters of a terminal
_ANSI = lazy_pattern(
    r"\x1b\[[0-9;?]{0,20}[a-zA-Z]|\x1b\][^\x07]{0,200}\x07|[\x00-\x08\x0b-\x1f\x7f]"
)
# a command that steers the client alone: "/clear", "exit"
_BUILT_IN = lazy_pattern(
    r"/?(?:add-dir|agents|bashes|btw|bug|chrome|clear|compact|config|context|cost|doctor|effort"
    r"|exit|export|fast|feedback|help|hooks|ide|init|install-github-app|keybindings|login|logout"
    r"|mcp|memory|model|output-style|permissions|plan|plugin|privacy-settings|quit|release-notes"
    r"|reload-plugins|rename|resume|rewind|sandbox|stats|status|statusline|tasks|terminal-setup"
    r"|theme|todos|upgrade|usage|vim)\s*"
)


def seal_elements(text: str, *, is_among_others: bool = False) -> str:
    """Make one element of what the client put into a text, which nothing in it can end.

    A selected range, a command's output or a hook's words stand in it raw, and may hold its closing
    tag with an order behind it. So it reaches to the last closing tag; as a block among others, and
    where the client writes it for itself, to the end.
    """
    opening = _ELEMENT.search(text)
    if not opening or text.lstrip().startswith("<command-"):
        return text
    head, inside = text[: opening.start()], text[opening.end() :]
    is_whole = is_among_others or not opening[1].startswith(_BEFORE_WORDS)
    ends = () if is_whole and not head.strip() else _ELEMENT_END.finditer(inside)
    end = max((tag.end() for tag in ends), default=len(inside))
    words = _TAG.sub(" ", _cut_private(inside[:end]))
    return f"{head}{opening[0]}{words.strip()}</{opening[1]}>{inside[end:]}"


def _cut_private(text: str) -> str:
    """Cut out all from the first mark of privacy to the last: one alone would hide a border."""
    marks = list(_PRIVATE_MARK.finditer(text))
    if not marks:
        return text
    start = 0 if marks[0][1] else marks[0].start()
    return text[:start] + (text[marks[-1].end() :] if marks[-1][1] else "")


def _strip_elements(text: str, opening: re.Pattern[str]) -> str:
    """Cut each element out whole; one that is never closed reaches to the end.

    A search for the closing tag by `find` keeps this linear where a lazy pattern is not.
    """
    parts, start, lower = [], 0, lowercase(text)
    while match := opening.search(text, start):
        parts.append(text[start : match.start()])
        closing = f"</{match[1]}>"
        end = lower.find(closing.lower(), match.end())
        if end < 0:
            return "".join(parts)
        start = end + len(closing)
    return "".join([*parts, text[start:]])


def _parse_command(text: str) -> Ask:
    """Read a slash command from its elements; those that steer the client alone say nothing."""
    name = re.search(r"<command-name>\s*(/?[^<\s]{1,80})", text)
    args = re.search(r"<command-args>([^<]*(?:<(?!/command-args>)[^<]*)*)", text)
    if not name or _BUILT_IN.fullmatch(name[1]):
        return Ask()
    words = args[1].strip() if args else ""
    return Ask(f"/{name[1].lstrip('/')} {words}".strip(), is_command=True)


# -- Orders that any session could hold ----------------------------------------------------------

_ORDER_WORDS = frozenset(
    """
    a again all also and approved awesome both branch but can changes commit continue cool could
    create did do done draft fine first fix force from git go good great hello hey hi it just
    keep latest let's lets lgtm main make merge my nice no now of ok okay on one open origin
    perfect please pls pr proceed pull push ready really rebase right run so sorry sounds sure
    thank thanks that the them then these they think this those to too try up works yeah yep yes
    yet you
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_MOST_ORDER_WORDS = 12  # "can you commit this and then push and open a draft pr" has 12


def _is_trivial(text: str) -> bool:
    """Whether a text is only assent or an order that any session could hold."""
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.lower().replace("\u2019", "'"))
    other_words = (word for word in words if word not in _ORDER_WORDS and not word.isdigit())
    return len(words) <= _MOST_ORDER_WORDS and not any(other_words)


# -- Which of the user's words are the user's own ------------------------------------------------
# A person quotes, pastes a letter, tells what a reviewer wrote; rules may rest on the person's own
# words alone. Only what is marked as others' can be told from one's own.

_MAX_ARGUMENTS = 400  # characters: longer ones of a slash command are a task's description
# said while refusing a call or in place of an offered answer: "no" alone is meant
_SHORT_COUNTS = frozenset({"refusal", "answer"})
# what is handed on: '''"""a block of quotes"""''', "> a quoted line"
_BLOCK = lazy_pattern(r'"""[\s\S]*?("""|\Z)|^\s*>.*$', re.MULTILINE)
# a line after which others speak: "The review says:", "Ana wrote", "From: Ana" with its next line;
# not "The doc must cover:", which orders one
_HANDS_ON = lazy_pattern(
    r"""\b(?:feedback|comments?|review(?:er)?s?|findings?|page|article|issue|ticket|messages?|errors?
    |outputs?|logs?|response|slack|e-?mail|docs?|prompt|transcript|copied|pasted|says?|said|wrote
    |reads?|reported|replied|quote|mailed|posted|blog|wiki|website|forum|thread|newsletter
    |research)\b
    (?!\ (?:must|should|(?:has|needs?)\ to)(?:\ (?:answer|cover|describe|explain|list))?:)
    [^.!?\n]{0,60}:[ \t]*$
    |^[^.!?\n]{0,80}\b(?:wrote|posted|mailed|replied|sent\ (?:me|us|this)|said\ this)[ \t]*$
    |^(?:From|Subject):[ \t]\S.*\n(?:(?:From|To|Cc|Date|Subject):.*\n){1,4}  # a letter
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
# others' words in the line itself: 'the linter says: unused name'; not "as I said: no"
_SAYS_ON = lazy_pattern(
    r"\b(?<!i )(?<!as i )(?:says?|said|wrote|reads|replied|complains)\s?:[ \t]+\S.*$",
    re.IGNORECASE | re.MULTILINE,
)
# a hand-over that names who speaks
_SPEAKS = lazy_pattern(
    r"(?i)\b(?:says?|said|wrote|reads?|reported|replied|posted|mailed|sent|from|subject)\b"
)
_MEMORY_TAG = lazy_pattern(r"</?user-memory-input>")


def own_words(utterance: Utterance) -> str:
    """Give the words of an utterance that are the user's own, "" for none."""
    return _split_at_handover(utterance)[0]


def find_handover_line(utterance: Utterance) -> str:
    """Give the end of the line with which the user hands on others' words, "" for none."""
    line = _split_at_handover(utterance)[1]
    # who tells what others say may do so in the same line
    return "" if "\n" in line or _SPEAKS.search(line) else line


def find_foreign_words(utterance: Utterance) -> str:
    """Give what of an utterance is others' words by the line with which they are handed on."""
    return _split_at_handover(utterance)[2].strip()


def _split_at_handover(utterance: Utterance) -> tuple[str, str, str]:
    """Part an utterance into the user's words, the line that hands others' on, and these."""
    text = _strip_quoted_words(utterance)
    match = _HANDS_ON.search(text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _strip_quoted_words(utterance: Utterance) -> str:
    """Give an utterance without what is marked as others' in it."""
    ask = utterance.ask
    if ask.is_plan or ask.pasted:
        return ""
    if ask.trivial and utterance.how not in _SHORT_COUNTS:
        return ""
    text = ask.text
    if ask.is_command:
        text = text.partition(" ")[2]
        text = text if len(text) <= _MAX_ARGUMENTS else ""
    return _SAYS_ON.sub("", _BLOCK.sub("", _MEMORY_TAG.sub("", text)))
