"""The checks that sessions ran -> the article "Commands": which there are, and how they ended.

It is cheap and right, because the transcript tells which test, lint and build commands were run and
whether they passed at the end. The prose is counted anew from all sessions; the lines name a
command once and stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.compile.patch import ArticleChange, Line, Section
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from memoria.compile.points import Source
    from memoria.vault.article import Article

KEY = "commands:"
_SESSIONS = 2  # a command of one session may have been a trial
_SHOWN = 30  # commands: what is run more rarely than thirty others is no habit
_LONGEST = 80  # characters: a longer command is a script for the moment


@dataclass(slots=True)
class _Use:
    """Where a command was run; `ended` says by session whether it passed at the end."""

    ended: dict[str, bool] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)
    last: date | None = None


def commands(
    articles: Iterable[Article], sources: Mapping[str, Source], today: Iterable[Source]
) -> Iterator[ArticleChange]:
    """Write the article of the commands that came back, if the day adds anything to it."""
    article = next((one for one in articles if one.key == KEY), None)
    uses = _uses(sources.values())
    often = {name: use for name, use in uses.items() if len(use.ended) >= _SESSIONS}
    new = [source.entry.id for source in today if source.extract and source.extract.checks]
    entries = [entry for entry in new if any(entry in use.entries for use in often.values())]
    prose = _counted(often)
    details = article.section("Details").strip() if article else ""
    if not entries or details == prose:
        return
    # a paragraph of a person's beside ours: then ours stays as it is
    ours = not details or (details.startswith(_OPENING) and "\n" not in details)
    old = article.section("Key Points") if article else ""
    lines = [
        Line(f"`{command}` is a check that is run here{_of(project)}.", use.entries[-1])
        for (project, command), use in often.items()
        if f"`{command}` is a check that is run here{_of(project)}." not in old
    ]
    yield ArticleChange(
        kind="concept",
        slug=article.slug if article else "commands",
        title=article.title if article else "Commands",
        lead="" if article else _LEAD,
        sections=(
            Section("Key Points", lines=tuple(lines)),
            Section("Details", prose if ours else ""),
        ),
        entries=tuple(entries),
        tags=() if article else ("commands",),
        key=KEY,
    )


_OPENING = "Sessions that ran each: "
_LEAD = (
    "The commands by which work is checked: tests, linters and builds that came back in several"
    " sessions. Details counts in how many sessions each was run and in how many it passed at the"
    " end."
)


def _uses(sources: Iterable[Source]) -> dict[tuple[str, str], _Use]:
    uses: dict[tuple[str, str], _Use] = {}
    for source in sources:
        for command, passed in source.extract.checks if source.extract else ():
            if len(command) <= _LONGEST and "\n" not in command and "`" not in command:
                use = uses.setdefault((source.entry.project, command), _Use())
                use.ended[source.session] = passed
                use.entries.append(source.entry.id)
                use.last = source.entry.day
    return uses


def _counted(often: Mapping[tuple[str, str], _Use]) -> str:
    ranked = sorted(often.items(), key=lambda item: (-len(item[1].ended), item[0]))[:_SHOWN]
    parts = [
        f"`{command}`{_of(project)} in {len(use.ended)}, passing at the end of"
        f" {sum(use.ended.values())}, last on {use.last}"
        for (project, command), use in ranked
    ]
    return f"{_OPENING}{'; '.join(parts)}."


def _of(project: str) -> str:
    return f" ({label(project)})" if project else ""
