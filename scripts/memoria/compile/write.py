"""A topic with what it holds and gains -> ArticleChange: its lead, its sections, its links.

Everything here is selected or counted, nothing is phrased: a line stands as it was said, and the
one sentence that code writes says where and when the topic came up. The trap is staleness: what was
so before a change stands in a section of its own, and a lead never says more than a definition that
somebody wrote and counts.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memoria.compile.patch import ArticleChange, Line, Link, Section
from memoria.compile.points import REASON
from memoria.compile.topic_points import merge_aliases
from memoria.text.markdown import mark
from memoria.text.term_names import name_of
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.compile.points import Point, Source
    from memoria.compile.topic_points import Topic

_FEWEST_KEYS, _MOST_KEYS = 3, 7  # lines under Key Points: what a reader takes in at a glance
_KEY_VALUE = 4.0  # from here on a new line may still become one of them
_REASONED = 0.8  # a cause, or a choice with its reason, is worth more than the rest
_ASKED = 2.0  # what the user asked while refusing a step is no choice yet
_SECTIONS = {
    "decision": "Decisions",
    "lesson": "Gotchas and Causes",
    "fix": "Errors and Fixes",
    "answer": "Questions Answered",
    "context": "Before the Change",
    "definition": "Details",
}
# what a plan set out to do; it tells no state
_GOAL = re.compile(
    r"(?:the goal|goal:|we (?:want|need)|add|allow|change|configure|create|enable|ensure|extend|fix"
    r"|implement|improve|introduce|make|migrate|move|refactor|remove|rename|replace|rewrite|set up"
    r"|show|simplify|split|support|switch|unify|update|use|wrap|write)\b",
    re.IGNORECASE,
)
_ORDER = ("Key Points", "Details", *list(_SECTIONS.values())[:-1])
_SHOWN_FILES = 3


def written(
    topic: Topic, held: Sequence[Point], sources: Mapping[str, Source], related: Iterable[Link]
) -> ArticleChange:
    """Write what a topic gains; `held` are all points that it now holds, `sources` all by entry."""
    new = sorted(topic.added, key=lambda point: _when(point, sources))
    entries = tuple(dict.fromkeys(point.entry for point in new))
    texts = [point.text for point in held]
    return ArticleChange(
        kind="concept",
        slug=topic.slug,
        title=topic.title,
        lead=_lead(topic, held, sources),
        sections=_sections(topic, new, sources),
        entries=entries,
        aliases=merge_aliases((), [name_of(alias, texts) for alias in topic.aliases]),
        tags=() if topic.article else _tags(topic),
        related=tuple(related),
        key=topic.key,
    )


def value(point: Point) -> float:
    """Weigh a point by what it saves a reader: a cause, or a choice with its reason, most."""
    weight = point.score
    if point.kind == "decision":
        weight += _REASONED if REASON.search(point.text) else -_REASONED
    elif point.kind == "lesson":
        weight += _REASONED
    else:
        weight -= _REASONED
    return weight - (_ASKED if point.text.rstrip().endswith("?") else 0.0)


def _when(point: Point, sources: Mapping[str, Source]) -> tuple[object, ...]:
    return (point.day, sources[point.entry].entry.at, point.entry, point.rank)


def _tags(topic: Topic) -> tuple[str, ...]:
    kind = "concept" if topic.is_term else "work-item"
    return (kind, *(label(project) for project in sorted(topic.projects)))


# -- Sections --------------------------------------------------------------------------------------


def _sections(
    topic: Topic, new: Sequence[Point], sources: Mapping[str, Source]
) -> tuple[Section, ...]:
    keys = _keys(topic, new)
    groups: dict[str, list[Line]] = {}
    for point in new:
        heading, text = _SECTIONS[point.kind], point.text
        if point.mark in keys:
            heading = "Key Points"
        elif (point.kind == "context" and _GOAL.match(text)) or text.rstrip().endswith("?"):
            heading = "Details"
        groups.setdefault(heading, []).append(Line(text, point.entry))
    if not topic.is_term:
        groups.setdefault("Details", []).extend(_done(topic, new, sources))
    return tuple(Section(name, lines=tuple(groups[name])) for name in _ORDER if groups.get(name))


def _keys(topic: Topic, new: Sequence[Point]) -> set[str]:
    """Choose the marks of the new lines that go under Key Points."""
    fit = [point for point in new if point.kind != "context" and value(point) > 0]
    fit.sort(key=lambda point: (-value(point), point.mark))
    if topic.article is None:
        number = min(_MOST_KEYS, max(_FEWEST_KEYS, (len(fit) + 1) // 2))
        return {point.mark for point in fit[:number]}
    free = _MOST_KEYS - topic.article.section("Key Points").count("\n- ")
    return {point.mark for point in fit[: max(0, free)] if value(point) >= _KEY_VALUE}


def _done(topic: Topic, new: Sequence[Point], sources: Mapping[str, Source]) -> list[Line]:
    """Say of each session of a work item what it edited and which checks passed at its end."""
    lines = []
    for entry in dict.fromkeys(point.entry for point in new):
        extract = sources[entry].extract
        if extract is None:
            continue
        parts = []
        if extract.files:
            parts.append(f"edited {_code(_names(extract.files[:_SHOWN_FILES]))}")
        passed = [name for name, passing in extract.checks if passing]
        if passed:
            parts.append(f"passing at the end: {_code(passed[:_SHOWN_FILES])}")
        text = "; ".join(parts)
        text = f"{text[:1].upper()}{text[1:]}."
        if parts and mark(text) not in topic.marks:
            lines.append(Line(text, entry))
    return lines


def _names(files: Iterable[str]) -> list[str]:
    """Give files by their last part, with the folder where two have the same name."""
    parts = [file.rsplit("/", 2) for file in files]
    names = Counter(part[-1] for part in parts)
    return ["/".join(part[-2:]) if names[part[-1]] > 1 else part[-1] for part in parts]


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# -- The lead --------------------------------------------------------------------------------------

# the sentences that code wrote at an earlier compile: they may be written anew
_COUNTED = re.compile(
    r"(?:“[^”\n]{1,130}” is a term that came up|It came up) in (?:one session|\d+ sessions) (?:on|"
    r"between) [^\n]*?\d{4}-\d\d-\d\d(?:, mostly in [^\n]*?`)?(?:; none of them defines it)?\."
    r"(?: It left [^\n]*\.)?$"
)
_WORKED = "Work on “"
_SHOWN_TITLES = 3


def _lead(topic: Topic, held: Sequence[Point], sources: Mapping[str, Source]) -> str:
    """Write the lead, or "" to leave the one that is there."""
    old = " ".join(topic.article.lead.split()) if topic.article else ""
    when = _span({sources[point.entry].session: point.day for point in held}, held)
    where = _mostly(held, sources)
    if not topic.is_term:
        new = f"Work on {_object(topic, held)} {when}{where}. {_left(topic, held, sources)}".strip()
        return new if not old or old.startswith(_WORKED) else ""
    counted = _COUNTED.search(old)
    if old and not counted:
        return ""
    said = old[: counted.start()].strip() if counted else ""
    said = said or topic.meaning
    if said:
        return f"{_closed(said)} It came up {when}{where}."
    term = f"“{topic.title}” is a term that came up {when}{where}; none of them defines it."
    return f"{term} {_counts(held)}"


def _object(topic: Topic, held: Sequence[Point]) -> str:
    branches = sorted({point.branch for point in held} - {""})
    project = next(iter(sorted(topic.projects)), "")
    of = f" of {label(project)}" if project else ""
    on = f" (branch `{branches[0]}`{of})" if topic.key.startswith("branch:") and branches else of
    return f"“{topic.title}”{on}"


def _left(topic: Topic, held: Sequence[Point], sources: Mapping[str, Source]) -> str:
    """Name the sessions of a work item, or count what its only one left."""
    entries = dict.fromkeys(point.entry for point in sorted(held, key=lambda point: point.day))
    titles = [sources[entry].entry.draft.title for entry in entries]
    other = [title for title in dict.fromkeys(titles) if title and title != topic.title]
    if other:
        return f"Sessions: {'; '.join(f'“{title}”' for title in other[:_SHOWN_TITLES])}."
    return _counts(held)


def _counts(held: Iterable[Point]) -> str:
    """Count what a topic left, by kind."""
    kinds: Counter[str] = Counter(point.kind for point in held)
    parts = [
        f"{kinds[kind]} {one if kinds[kind] == 1 else more}"
        for kind, one, more in (
            ("decision", "decision", "decisions"),
            ("lesson", "cause or gotcha", "causes or gotchas"),
            ("answer", "answered question", "answered questions"),
        )
        if kinds[kind]
    ]
    head, last = ", ".join(parts[:-1]), parts[-1] if parts else ""
    return f"It left {head}{' and ' if head else ''}{last}." if last else ""


def _span(sessions: Mapping[str, object], held: Sequence[Point]) -> str:
    days = sorted({point.day for point in held})
    number = "one session" if len(sessions) == 1 else f"{len(sessions)} sessions"
    if len(days) == 1:
        return f"in {number} on {days[0]}"
    return f"in {number} between {days[0]} and {days[-1]}"


def _mostly(held: Sequence[Point], sources: Mapping[str, Source]) -> str:
    """Name the files that most of the sessions edited; of one session, its first ones."""
    counts: Counter[str] = Counter()
    entries = dict.fromkeys(point.entry for point in held)
    for entry in entries:
        extract = sources[entry].extract
        counts.update(dict.fromkeys(extract.files if extract else (), 1))
    often = [file for file, number in counts.items() if number > 1 or len(entries) == 1]
    often.sort(key=lambda file: -counts[file])
    shown = _names(often[:_SHOWN_FILES])
    return f", mostly in {_code(shown)}" if shown else ""


def _closed(sentence: str) -> str:
    text = sentence[:1].upper() + sentence[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
