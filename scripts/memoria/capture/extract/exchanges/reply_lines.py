"""A sentence chosen as a reply -> the line that is shown: with its list or its reason.

A short item means little without its siblings, a line that ends in ":" nothing without what
stands behind it, and of a summary of changes no single sentence says as much as the first change
under each of its headings. The trap: a summary at the end of a long session tells what was told
before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.extract.cues import is_chat, weigh
from memoria.capture.extract.sentences import containment, stems, tidy
from memoria.text.prose import capital, clipped, run, split

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from memoria.capture.extract.sentences import Sentence
    from memoria.text.prose import Unit

_NARROW = 25  # content words of an ask that a person typed
LENGTH = 240  # characters: two short sentences, or a list of three


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reply is measured by: the words of the question, its first one, and the kind of ask.

    `opinion`: the assistant's view was asked for, so that "I would" is an answer. `order`:
    something was to be done; `pointing` if it says only "this" or "yes". `polar`: a yes or no was
    asked. `borrowed`: the words are a pasted finding's, so that a sentence which repeats them says
    what was wrong and not what was done. `said` holds the sentences of earlier turns, `closed` the
    stems of those that closed them.
    """

    words: frozenset[str]
    verb: str
    opinion: bool
    order: bool
    pointing: bool
    polar: bool
    borrowed: bool
    said: Container[str]
    closed: Sequence[frozenset[str]]

    @property
    def is_narrow(self) -> bool:
        """Whether few things are asked for; a plan and a pasted finding speak of everything."""
        return len(self.words) <= _NARROW


_CHANGED = re.compile(
    r"""^(?:`[^`]{1,100}`\s?[:—\u2013-]\s)?(?:the\ (?:fix|change|update)|added|changed|fixed
        |removed|replaced|renamed
      |created|updated|moved|extracted|made|implemented|rewrote|converted|switched|resolved
        |introduced
      |refactored|merged|set|bumped|deleted|reverted|split|consolidated)\b
    |\b(?:changed|updated|switched|moved|renamed)\ (?:from|to)\b
    |\b(?:no\ longer|now)\ \w{1,20}s\b
    |\b(?:no\ longer|now|has\ been|have\ been|is\ now|are\ now)\ (?:\w{1,20}ed|uses?|returns?
      |takes?|reads?|set|made
      |built)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def is_change(text: str) -> bool:
    """Whether a text says that something was changed."""
    return bool(_CHANGED.search(text))


VERDICT = re.compile(
    r"(?:yes|no|not really|correct|exactly|neither|both|partly|partially|it depends|true|false"
    r"|not|verdict)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"question|alternativ|option|next step|test|verif|files? (?:changed|modified)|example|before"
    r"|usage|strength|docs?\b|documentation",
    re.IGNORECASE,
)


def is_aside(heading: str, want: Wanted) -> bool:
    """Whether a heading stands over what was not asked for."""
    return bool(_ASIDE.search(heading)) and not (want.is_narrow and stems(heading) & want.words)


_LEAST_PROSE = 3  # words besides the code: "Files: `a.go`" says nothing
_SHORT = 30  # characters: a label, or half an answer


def is_thin(text: str) -> bool:
    """Whether a text is only a label, a name, or half a sentence."""
    words = re.sub(r"`[^`]*`", "", text).split()
    return len(words) < _LEAST_PROSE or (len(text) < _SHORT and not VERDICT.match(text))


# -- What stands around the sentence --------------------------------------------------------------


def completed(sentence: Sentence, found: Sequence[Unit]) -> str:
    """Complete a reply: with the items behind a colon, its siblings, the next sentence."""
    text = sentence.text
    if text.endswith(":"):
        items = run(found, sentence.unit + 1)
        text = _listed(text, items).rstrip(":")
        # One item in the middle of a sentence: what follows it says what is with it.
        after = (
            found[sentence.unit + 2] if len(items) == 1 and len(found) > sentence.unit + 2 else None
        )
        if after and after.form == "paragraph" and len(text) + len(after.text) < LENGTH:
            text = f"{text}. {after.text}"
        return clipped(text, LENGTH)
    if len(text) >= LENGTH // 2:
        return clipped(text, LENGTH)
    if sentence.form == "heading":
        return _with_reason(text, found[sentence.unit + 1 :])
    if sentence.form == "item":
        lead = _DID.search(found[sentence.unit].lead or sentence.heading)
        items = run(found, sentence.unit)
        return clipped(_listed(f"{capital(lead[1])}:" if lead else "", items), LENGTH)
    longer = f"{text} {_following(text, found[sentence.unit])}".strip()
    return longer if len(longer) <= LENGTH else text


# "Here is what was removed:" over a list of names.
_DID = re.compile(r"\b(removed|added|deleted|renamed|extracted|moved)\b.{0,20}$", re.IGNORECASE)


def _with_reason(verdict: str, after: Sequence[Unit]) -> str:
    """Put the first sentence under a heading behind what the heading says."""
    reason = tidy(split(after[0].text)[0]) if after and after[0].form != "heading" else ""
    longer = f"{verdict.rstrip('.')}. {reason}".strip()
    closed = reason and not reason.endswith(":") and not is_chat(reason)
    return longer if closed and len(longer) <= LENGTH else verdict


_TAIL = 40  # characters by which a sentence is found again in its paragraph


def _following(chosen: str, unit: Unit) -> str:
    """Give the sentence that follows the chosen one in its paragraph, if it goes on with it."""
    parts = split(unit.text)
    place = next(
        (at for at, part in enumerate(parts) if part.endswith(chosen[-_TAIL:])), len(parts)
    )
    after = parts[place + 1] if place + 1 < len(parts) else ""
    if not after or after.endswith((":", "?")) or is_chat(after):
        return ""
    return (
        ""
        if {"status", "assurance", "intent", "passing", "hypothesis"} & weigh(after)[0]
        else tidy(after)
    )


def _listed(lead: str, items: Sequence[Unit]) -> str:
    """Join a lead and items by semicolons, as many as fit whole."""
    text = lead
    for unit in items:
        item = tidy(split(unit.text)[0] if len(unit.text) > LENGTH // 2 else unit.text).rstrip(
            ".;,"
        )
        if not item or is_chat(item) or (item.endswith(":") and text != lead):
            continue
        longer = f"{text}{'; ' if text and text != lead else ' ' if lead else ''}{item.rstrip(':')}"
        if len(longer) > LENGTH and text != lead:
            break
        text = longer
    return text


# -- A summary of changes -------------------------------------------------------------------------

_A_CHANGE = 120  # characters of one change in a digest: three of them fit


def digest(found: Sequence[Unit], want: Wanted) -> str:
    """Join the first change under each heading of a summary, "" where there is no such summary."""
    groups = [changes for group in _groups(found, want) if (changes := _changes(group, want))]
    asked = [
        group
        for group in groups
        if want.pointing or any(stems(change) & want.words for change in group)
    ]
    firsts = asked[0] if len(asked) == 1 else [changes[0] for changes in asked]
    if len(firsts) < 2:  # noqa: PLR2004 - the best sentence says more than one item
        return ""
    text = firsts[0]
    for change in firsts[1:]:
        longer = f"{text}; {change}"
        text = longer if len(longer) <= LENGTH else text
    return text


def _groups(found: Sequence[Unit], want: Wanted) -> Iterator[tuple[Unit, ...]]:
    """Yield the lists that stand right under a heading which is no aside."""
    for place, unit in enumerate(found):
        if unit.form == "heading" and not is_aside(unit.text, want):
            items = run(found, place + 1)
            if items:
                yield items


def _changes(items: Sequence[Unit], want: Wanted) -> list[str]:
    """Give the items that say what was changed now, but not those about tests."""
    kept = []
    for unit in items:
        text = tidy(split(unit.text)[0]).rstrip(".;:,")
        if not is_change(text) or is_thin(text) or is_chat(text):
            continue
        tests = "testing" in weigh(text)[0] and not (want.is_narrow and "test" in want.words)
        if not tests and not is_recap(stems(text), want):
            kept.append(clipped(text, _A_CHANGE))
    return kept


_SAME = 0.75  # of the smaller one's content words: a change that was told before


_FEW_WORDS = 6  # content words: with fewer, two sentences are alike by chance


def is_recap(words: frozenset[str], want: Wanted) -> bool:
    """Whether a closing text of an earlier turn said the same."""
    return len(words) >= _FEW_WORDS and any(containment(words, old) > _SAME for old in want.closed)
