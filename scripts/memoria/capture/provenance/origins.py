"""What was said and read in a session -> for each line written about it, where its words come from.

A model that sums up a session can be talked into anything by what it reads, so a line's origin is
not asked of it but found: by runs of four words, and who had them first. What a page, a file or a
tool had first stays theirs although the assistant says it again; only the user takes words over, by
saying them (a bare "yes" says nothing of them). Such a line becomes a fact with a visible mark, and
no hook ever says it. The trap: a person's prompt holds others' words, too, so what was pasted
counts as read.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.agents.claude_code.user_words import ask, utterances
from memoria.agents.own_words import handing, own_words
from memoria.agents.transcript import Call, Compaction, Say, Steer
from memoria.capture.extract.titles.entry_title import branch_words
from memoria.capture.extract.titles.title_clauses import LENGTH, statement
from memoria.privacy.imperatives import orders
from memoria.text.prose import clipped
from memoria.text.unicode import hides

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.transcript import Transcript
    from memoria.vault.entry import Draft, Extract

# who had words: the user, the assistant, or one of the others, as the marks name them
USER, ASSISTANT = "user", "assistant"
PAGE, FILE, TOOL, PASTED = "a web page", "a file", "a tool", "pasted text"
OTHERS = (PAGE, FILE, TOOL, PASTED)
# behind it may stand the log that a line comes from, its day, or what is left of a fence
_MARK = re.compile(rf"\s*\(from ({'|'.join(OTHERS)})\)")
# words: three are chance, five miss a sentence that was reworded here and there
_RUN = 4
# of a line's words: from here on it repeats what was read
_SHARE = 0.5
# of the words of a part of a line: it is theirs, word for word
_WHOLE = 0.9
# a run that orders is a part of an order, however long the line around it is
_LONG = 5
# so many of a page's or a paste's are a quote of it, whatever stands around them
_QUOTED = 7
# scripts without spaces are read by the character
_TOKEN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]"
    r"|[^\W_]"
    "[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]*"
)
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")
_READERS = frozenset({"read", "search", "edit"})
# what comes back are the agent's own words: its question with the label chosen, its plan
_REPLIES = frozenset({"question", "plan", "tasks"})
_WEB = re.compile(
    r"(?i)\b(?:curl|wget|lynx|w3m|aria2c|yt-dlp|gh\s+(?:api|issue|pr|gist|release|search|run)"
    r"|glab|hub|invoke-webrequest|iwr|git\s+(?:clone|fetch|pull|submodule)|npm\s+(?:view|info)"
    r"|pip\s+(?:download|show))\b|https?://"
)
_NETTED = re.compile(r"(?i)web|fetch|browser|search|http|\Amcp__")
# a sentence ends before a capital, a digit, a quote or a mark; not behind "e.g."
_SENTENCE_END = re.compile(r"(?<=[.!?:\u3002\uff01\uff1f])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[^a-z\s])")
# between what was asked and what came out, and before what stands behind a name of who says it
_ARROW = " -> "
_PART = re.compile(r" -> |: | \(`")
# a path, a file's name or a name of three words ("no-explicit-any"), not a piece of code
_CHUNK = re.compile(r"\S+")
_NAME = re.compile(
    r"[`\"'(]{0,2}[\w.-]*(?:\w[/\\_]\w[\w./\\-]*|\w\.\w{1,4}|\w-\w{1,20}-\w+)[`\"')]{0,2}[,.;:]?"
)
# words beside names: a line with fewer is code
_PROSE = 3
# what a clause may begin behind
_JOINTS = frozenset(
    "and then but also or so instead just next now please always never to und et y e och".split()  # noqa: SIM905 - a word list reads best as words
)
# words before what is denied: "do not ever push the tags"
_NEAR = 3
_DENIALS = frozenset(
    """
    not never no t dont without avoid stop nobody nothing instead than against neither nor cannot
    nicht nie niemals kein keine keinen ohne statt pas jamais ne sans aucun nunca sin tampoco nem
    sem non mai senza niet nooit geen zonder inte aldrig ikke aldri nigdy bez asla
    n\u00e3o jam\u00e1s hi\u00e7 \u043d\u0435 \u043d\u0456 \u0431\u0435\u0437
    \u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0435\u043b\u044c\u0437\u044f
    \u4e0d \u522b \u5225 \u52ff \u6ca1 \u6c92 \u65e0 \u7121 \u7981
    """.split()  # noqa: SIM905 - a word list reads best as words
)
# what code says of a session's work (capture/extract/entry_draft.py), of names and counts alone
_NAMED = r"`[^`\s]+(?: [^`\s]+){0,2}`"
_ITEM = (
    rf"(?:branch {_NAMED}|edited {_NAMED}(?:, {_NAMED}){{0,3}}(?: and \d+ more)?|\d+ commits?"
    rf"|no commit|PR #\d+|(?:passing at the end|failing when last run): {_NAMED}"
    rf"(?:, {_NAMED}){{0,3}})"
)
_WORK = re.compile(rf"(?:\A|(?<=[.!?\u2026] )){_ITEM}(?:; {_ITEM})*\.?\Z", re.IGNORECASE)
_SAID = re.compile(r"^([UPAT])\d+\| ?(.*)$", re.MULTILINE)
_BY = {"U": USER, "A": ASSISTANT, "T": TOOL, "P": PASTED}


class Span(NamedTuple):
    """A text and who had it."""

    who: str
    text: str


def spans(transcript: Transcript) -> Iterator[Span]:
    """Give all that was said and read, in the order of time."""
    said: dict[int, list[str]] = {}
    for one in utterances(transcript):
        said.setdefault(one.turn, []).append(own_words(one) + handing(one))
    if transcript.is_named:
        yield Span(USER, transcript.title)
    # the client says it in every line, before any tool prints it
    yield from (Span(ASSISTANT, name) for name in {turn.branch: 0 for turn in transcript.turns})
    for number, turn in enumerate(transcript.turns):
        # the user's own words of a turn first, so that they are the user's; what is left was pasted
        yield from (Span(USER, text) for text in said.get(number, ()))
        # a plan is the agent's, which the user let pass
        yield Span(ASSISTANT if ask(turn.prompt).is_plan else PASTED, turn.prompt)
        for step in turn.steps:
            yield from _of_step(step)
    for call in transcript.subagents:
        yield from _of_call(call)


def _of_step(step: object) -> Iterator[Span]:
    if isinstance(step, Say):
        yield Span(ASSISTANT, step.text)
    elif isinstance(step, Steer):
        yield Span(PASTED, step.text)
    elif isinstance(step, Compaction):
        yield Span(TOOL, step.summary)
    elif isinstance(step, Call):
        yield from _of_call(step)


def _of_call(call: Call) -> Iterator[Span]:
    yield from (Span(ASSISTANT, text) for _, text in call.arguments)
    yield Span(ASSISTANT if call.kind in _REPLIES else reader(call), call.result)


def reader(call: Call) -> str:
    """Say what a call's result is: of a web page, a file or a tool."""
    if call.kind == "web" or _NETTED.search(call.name):
        return PAGE
    if call.kind in _READERS:
        return FILE
    return PAGE if _WEB.search(call.command) else TOOL


def outside(transcript: Transcript) -> tuple[str, ...]:
    """Name what of outside the project a session had read, in the order of time, each once."""
    found: dict[str, None] = {}
    for turn in transcript.turns:
        said = ask(turn.prompt)
        if said.pasted or said.trace:
            found[PASTED] = None
        for call in turn.calls:
            if who := _outside(call, transcript.cwd):
                found[who] = None
    return tuple(found)


def before_outside(transcript: Transcript) -> Iterator[str]:
    """Give what the agent said before the session first read something of outside the project."""
    for turn in transcript.turns:
        said = ask(turn.prompt)
        if said.pasted or said.trace:
            return
        for step in turn.steps:
            if isinstance(step, Call) and _outside(step, transcript.cwd):
                return
            if isinstance(step, Say):
                yield step.text


def _outside(call: Call, cwd: str) -> str:
    """Say what of outside a call brought, "" for what is the project's own.

    A subagent may have read anything, and what hides text has something to hide.
    """
    who = reader(call)
    if call.kind == "subagent":
        return "a subagent"
    if hides(call.result):
        return "hidden text"
    path = call.path or call.argument("path")
    if who == PAGE:
        return who
    away = path.startswith(("/", "~")) and not f"{path}/".startswith(f"{cwd.rstrip('/')}/")
    return "a file from elsewhere" if who == FILE and away else ""


def of_record(record: str) -> Iterator[Span]:
    """Give the spans of a record as a model was shown it (capture/digest.py), by its marks."""
    return (Span(_BY[found[1]], found[2]) for found in _SAID.finditer(record))


class Origins:
    """Where the words of some texts come from; other texts have none."""

    def __init__(self, said: Iterable[Span], texts: Iterable[str]) -> None:
        """Look for the words of `texts` in what was said and read."""
        self._first: dict[tuple[str, ...], str] = {}
        # what the user said, with what he denied it by
        self._heard: dict[tuple[str, ...], frozenset[str]] = {}
        known = tuple(texts)
        wanted = {run for text in known for run in _runs(folded(text))}
        # a part of a line may be shorter than a run: all of it has to be the user's then
        parts = {run for text in known for part in _PART.split(text) for run in _runs(folded(part))}
        sizes = {len(run) for run in wanted}
        for who, text in said:
            tokens = folded(text) if wanted else []
            if who == USER:
                # a "no" denies nothing of the sentence after it
                for part in (tokens, *map(folded, _SENTENCE_END.split(text))):
                    self._hear(part, wanted | parts)
            for size in sizes:
                found = wanted.intersection(zip(*(tokens[at:] for at in range(size)), strict=False))
                for run in found:
                    # what the user only denied is not his: others may have it after him
                    if who != USER or not self._heard.get(run):
                        self._first.setdefault(run, who)

    def _hear(self, tokens: list[str], wanted: set[tuple[str, ...]]) -> None:
        for size in range(2, _RUN + 1):
            for at in range(len(tokens) - size + 1):
                run = tuple(tokens[at : at + size])
                if run in wanted:
                    found = _denied(tokens, at)
                    # once said without a denial, it is his as it stands
                    self._heard[run] = min(self._heard.get(run, found), found, key=len)

    def of_name(self, text: str) -> str:
        """Say who had a name; two or three words meet everywhere, so a short one is nobody's."""
        return self.of(text) if len(folded(text)) >= _RUN else ""

    def of(self, text: str, share: float = _SHARE) -> str:
        """Say who had a text that the user has not said: one of OTHERS, "" for none of them."""
        text = _WORK.sub("", text)
        words = folded(text)
        size = min(_RUN, len(words))
        covered: dict[int, str] = {}
        for at, run in enumerate(_runs(words)):
            who = self._first.get(run, USER)
            if who in OTHERS and not self._is_heard(run, words, at):
                covered |= dict.fromkeys(range(at, at + size), who)
        if not covered:
            return ""
        most = Counter(covered.values()).most_common(1)[0][0]
        names = _names(text, words)
        said, length = covered.keys() - names, len(words) - len(names)
        # one run in a line of two and more is chance
        much = len(said) >= share * length and (len(said) > size or len(words) < 2 * size)
        return most if (said and much) or _told(text, covered) else ""

    def _is_heard(self, run: tuple[str, ...], words: list[str], at: int) -> bool:
        """Whether the user said a run; what he denied is his as a denial only."""
        denied = self._heard.get(run)
        return denied is not None and denied <= _denied(words, at)

    def unsaid(self, text: str) -> str:
        """Give a text with an X in place of what the user said of it in his own words."""
        found = list(_TOKEN.finditer(text))
        words = folded(text)
        if len(found) != len(words):  # a letter that becomes two words when folded
            return text
        size = min(_RUN, len(words))
        mine = {
            at + more
            for at, run in enumerate(_runs(words))
            if self._is_heard(run, words, at)
            for more in range(size)
        }
        kept, end = "", 0
        for at, match in enumerate(found):
            between = text[end : match.start()]
            kept += ("" if {at - 1, at} <= mine else between) + ("" if at in mine else match[0])
            if at in mine and at + 1 not in mine:
                # a clause that begins behind his "and" is not his
                kept += f"X {match[0]}" if words[at] in _JOINTS else "X"
            end = match.end()
        return kept + text[end:]


def _told(text: str, covered: dict[int, str]) -> bool:
    """Whether a long run of words that was read is an order, or a quote of a page."""
    found = list(_TOKEN.finditer(text))
    run: list[int] = []
    for at in [*sorted(covered), -1]:
        if run and at == run[-1] + 1:
            run.append(at)
            continue
        if len(run) >= _QUOTED and all(covered[one] in {PAGE, PASTED} for one in run):
            return True
        if len(run) >= _LONG and run[-1] < len(found):
            start, end = found[run[0]].start(), found[run[-1]].end()
            # "would get the same id" holds an order only when it is cut out
            if orders(text[start:end]) and orders(text):
                return True
        run = [at]
    return False


def _denied(tokens: list[str], at: int) -> frozenset[str]:
    """Give the words shortly before a place that turn what follows into its contrary."""
    return _DENIALS.intersection(tokens[max(0, at - _NEAR) : at])


def _names(text: str, words: list[str]) -> set[int]:
    """Give the places of words that are parts of paths and identifiers, which say nothing."""
    found = list(_TOKEN.finditer(text))
    if len(found) != len(words):  # a letter that becomes two words when folded
        return set()
    named: set[int] = set()
    at = 0
    for chunk in _CHUNK.finditer(text):
        parts = []
        while at < len(found) and found[at].start() < chunk.end():
            parts.append(at)
            at += 1
        if _NAME.fullmatch(chunk[0]) and not orders(" ".join(words[part] for part in parts)):
            named.update(parts)
    return named if len(words) - len(named) >= _PROSE else set()


def folded(text: str) -> list[str]:
    """Cut a text into words, blind to case; of scripts without spaces, into characters."""
    if text.isascii():  # nearly all that is read; three times as fast
        return _ASCII_TOKEN.findall(text.casefold())
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    size = min(_RUN, len(words))
    # a single word is nobody's
    return list(zip(*(words[at:] for at in range(size)), strict=False)) if size > 1 else []


# -- Marks ----------------------------------------------------------------------------------------


def is_marked(text: str) -> bool:
    """Whether a line says that its words come from a page, a file, a tool or a paste."""
    return bool(_MARK.search(text))


def split(text: str) -> tuple[str, str]:
    """Part a line from its mark: who had it ("" for no mark), and its words."""
    found = _MARK.search(text)
    return (
        (found[1], text[: found.start()] + _MARK.sub("", text[found.end() :]))
        if found
        else ("", text)
    )


def parted(text: str) -> tuple[tuple[str, str], ...]:
    """Part a line into who had its words and these; an answer may be behind what others asked."""
    found = _MARK.search(text)
    if found and text.startswith(_ARROW, found.end()):
        after = text[found.end() + len(_ARROW) :]
        return (found[1], text[: found.start()]), split(after)
    return (split(text),)


def marked(text: str, who: str) -> str:
    """Write behind a line where its words come from; "" for `who` leaves it alone."""
    # one in the middle, before an arrow, says nothing of the end
    return text if not who or not text.strip() or parted(text)[-1][0] else f"{text} (from {who})"


def texts(extract: Extract) -> list[str]:
    """Give all texts of an extract that say something."""
    return [*lines(extract.draft), *(fact.text for fact in extract.facts), *concluded(extract)]


def concluded(extract: Extract) -> list[str]:
    """Give the lines that say what the subjects of an extract came to."""
    return [line.text for subject in extract.subjects for line in subject.conclusions]


def traced_line(text: str, origins: Origins) -> str:
    """Mark a line that others had; only what was asked, where the answer to it is the session's.

    A sentence of theirs is enough: a line of one's own around it would carry it along.
    """
    parts = parted(text)
    if len(parts) > 1 and not parts[1][0]:
        # a text can hold a mark of its own making: what is behind it counts by itself
        return marked(text, origins.of(parts[1][1]) or _of_any(parts[1][1], origins))
    asked, arrow, answer = text.partition(_ARROW)
    if not arrow:
        return marked(text, origins.of(text) or _of_any(text, origins))
    who, theirs = _of_asked(asked, text, origins), _of_any(answer, origins)
    if who and not (theirs or origins.of(answer)):
        return f"{marked(asked, who)}{_ARROW}{answer}"
    return marked(text, who or theirs or origins.of(text))


def _of_asked(asked: str, text: str, origins: Origins) -> str:
    """Say who had what was asked; an error that a tool printed is told with what fixed it."""
    who = origins.of(asked) or _of_any(asked, origins)
    return who if who in {PAGE, PASTED} or origins.of(text) else ""


def _of_any(text: str, origins: Origins) -> str:
    """Say who had a part of a line, or all of one of its sentences."""
    parts = [text, *_SENTENCE_END.split(text)]
    long = (part for part in parts if len(folded(part)) >= _RUN)
    return next(filter(None, (origins.of(part, _WHOLE) for part in long)), "")


def lines(draft: Draft) -> list[str]:
    """Give all texts of a draft."""
    listed = (*draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)
    return [draft.title, draft.context, *listed]


def traced(draft: Draft, origins: Origins) -> Draft:
    """Mark the texts of a draft that others had."""

    def each(found: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(traced_line(line, origins) for line in found)

    return replace(
        draft,
        title=_own_title(draft, origins),
        context=marked(draft.context, origins.of(draft.context)),
        exchanges=each(draft.exchanges),
        decisions=each(draft.decisions),
        lessons=each(draft.lessons),
        actions=each(draft.actions),
    )


_BRANCH = re.compile(r"\ABranch `([^`]+)`")


def _own_title(draft: Draft, origins: Origins) -> str:
    """Give the title, or where others had its words a line's first clause or the branch."""
    if not origins.of_name(draft.title):
        return draft.title
    listed = (*draft.decisions, *draft.lessons, *draft.exchanges)
    own = [line for line in listed if traced_line(line, origins) == line]
    branch = _BRANCH.match(draft.context)
    names = (*map(statement, own), branch_words(branch[1]) if branch else "", *own)
    return clipped(next(filter(None, names), ""), LENGTH)


def extracted(extract: Extract, origins: Origins) -> Extract:
    """Mark what of an extract others had, and leave out what a subject came to in their words."""
    facts = tuple(replace(one, text=traced_line(one.text, origins)) for one in extract.facts)
    subjects = tuple(
        replace(
            subject,
            conclusions=tuple(
                line
                for line in subject.conclusions
                if not is_marked(traced_line(line.text, origins))
            ),
        )
        for subject in extract.subjects
    )
    return replace(extract, draft=traced(extract.draft, origins), facts=facts, subjects=subjects)
