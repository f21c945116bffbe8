"""Tell a person where a rule, a note or a line comes from, in lines made of what `--json` prints.

Every text of them comes from notes and transcripts, so who prints them takes hidden characters out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# characters of a line in the list of all lines
_BRIEF = 90


def account(found: Mapping[str, Any]) -> Iterator[str]:
    """Give the lines that tell where a rule, a note or a line comes from."""
    if found["kind"] == "rule":
        yield from _rule(found)
        return
    place = f":{found['line']}" if found.get("line") else ""
    title = f"  {found['title']}" if found.get("title") else ""
    yield f"{found['path']}{place}{title}"
    if found.get("text"):
        yield f'  "{found["text"]}"'
    for row in found.get("lines", ()):
        if "said" in row:  # by a colleague
            yield f"  {row['said']}: {row['text']}"
        else:
            yield f"  {row['line']:>4}  {_cut(row['text'])}"
            yield from (f"        {_head(source)}" for source in row["sources"])
    for name in found.get("consulted", ()):
        yield f"  made from {name}: `memoria why {name}`"
    sources = found.get("sources", [])
    for source in sources:
        yield from _source(source)
    if found.get("text") and not sources:
        yield "  no entry says this: a person wrote it, or its entry is gone"


def _rule(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['id']}  {found['text']}"
    yield "  active" if found["in_force"] else f"  {found['status']}, not used: {found['why_not']}"
    where = " and ".join(found["scope"]) or "every project"
    yield f"  {found['category']}, seen {found['frequency']}x, holds in {where}"
    if found["path"]:
        yield f"  {found['path']}"
    for name in found["aliases"]:
        yield f"  also: {name}"
    for one in found["evidence"]:
        yield f'said: "{one["words"]}"'
        yield from _source(one)
    for one in found["decisions"]:
        what = f"{one['status']} by {one['by']}"
        what += f", part of {one['into']}" if one["into"] else ""
        what += f", overruled by {one['superseded_by']}" if one["superseded_by"] else ""
        what += f" ({one['id']})" if one["id"] != found["id"] else ""
        yield f"decided: {one['at']} {what}"
    if not found["decisions"] and found["in_force"]:
        yield "decided: by nobody; its own words say that it lasts"


def _head(source: Mapping[str, Any]) -> str:
    if source.get("note"):
        return f"{source['path']}: {source['note']}"
    sure = f", {source['sure']}" if source.get("sure") else ""
    turn = f", turn {source['turn']}" if source.get("turn") else ""
    when = source.get("at") or f"{source['day']} {source['time']}"
    return f"{source['path']}:{source['line']}, {source['title']} ({when}{turn}{sure})"


def _source(source: Mapping[str, Any]) -> Iterator[str]:
    yield f"  {_head(source)}"
    if source.get("note"):
        return
    if source.get("session"):
        yield f"    session {source['session']} of {source['project'] or 'no project'}"
    if source.get("transcript"):
        gone = "" if source["exists"] else " (no longer there)"
        yield f"    transcript {source['transcript']}{gone}"
    if source.get("asked"):
        yield f"    asked: {source['asked']}"
    if source.get("passage"):
        yield f"    {source['who']}: {source['passage']}"


def _cut(text: str) -> str:
    return text if len(text) <= _BRIEF else text[:_BRIEF].rsplit(" ", 1)[0] + " …"
