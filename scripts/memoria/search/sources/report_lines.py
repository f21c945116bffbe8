"""Tell a person where a rule, a note or a line comes from.

The same value is what `--json` prints; here it becomes text, from what was asked for down to the
passage in a session. The trap: every text of it comes from notes and transcripts, so whoever prints
the lines takes hidden characters out of them.
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
        yield from _row(row)
    for name in found.get("consulted", ()):
        yield f"  made from {name}: `memoria why {name}`"
    sources = found.get("sources", [])
    for source in sources:
        yield from _source(source, "  ")
    if found.get("text") and not sources:
        yield "  no entry says this: a person wrote it, or its entry is gone"
    for mistake in found.get("mistakes", ()):
        yield from _mistake(mistake)


def _row(row: Mapping[str, Any]) -> Iterator[str]:
    """Tell of a line of an article, or of one that a colleague said."""
    if "said" in row:
        yield f"  {row['said']}: {row['text']}"
        return
    yield f"  {row['line']:>4}  {_cut(row['text'])}"
    for source in row["sources"]:
        yield f"        {_head(source)}"


def _rule(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['id']}  {found['text']}"
    state = "active" if found["in_force"] else f"{found['status']}, not used: {found['why_not']}"
    where = " and ".join(found["scope"]) or "every project"
    yield f"  {state}"
    yield f"  {found['category']}, seen {found['frequency']}x, holds in {where}"
    if found["path"]:
        yield f"  {found['path']}"
    for name in found["aliases"]:
        yield f"  also: {name}"
    for one in found["evidence"]:
        yield f'said: "{one["words"]}"'
        yield from _source(one, "  ")
    for one in found["decisions"]:
        what = f"{one['status']} by {one['by']}"
        what += f", part of {one['into']}" if one["into"] else ""
        what += f", overruled by {one['superseded_by']}" if one["superseded_by"] else ""
        what += f" ({one['id']})" if one["id"] != found["id"] else ""
        yield f"decided: {one['at']} {what}"
    if not found["decisions"] and found["in_force"]:
        yield "decided: by nobody; its own words say that it lasts, or two sessions said it"


def _head(source: Mapping[str, Any]) -> str:
    if source.get("note"):
        return f"{source['path']}: {source['note']}"
    sure = f", {source['sure']}" if source.get("sure") else ""
    turn = f", turn {source['turn']}" if source.get("turn") else ""
    when = source.get("at") or f"{source['day']} {source['time']}"
    return f"{source['path']}:{source['line']}, {source['title']} ({when}{turn}{sure})"


def _source(source: Mapping[str, Any], indent: str) -> Iterator[str]:
    yield f"{indent}{_head(source)}"
    if source.get("note"):
        return
    if source.get("sure") == "likely":
        yield f"{indent}  says: {source['words']}"
    if source.get("session"):
        yield f"{indent}  session {source['session']} of {source['project'] or 'no project'}"
    if source.get("transcript"):
        gone = "" if source["exists"] else " (no longer there)"
        yield f"{indent}  transcript {source['transcript']}{gone}"
    if source.get("asked"):
        yield f"{indent}  asked: {source['asked']}"
    if source.get("passage"):
        yield f"{indent}  {source['who']}: {source['passage']}"


def _mistake(mistake: Mapping[str, Any]) -> Iterator[str]:
    often = f"{mistake['count']}x in {mistake['sessions']} sessions"
    yield f"this error came {often}: {mistake['error']}"
    for one in mistake["resolutions"]:
        change = " ; ".join(one["change"].split("\n")) or "nothing tells what was changed"
        yield f"  mended {one['at'][:10]} by {one['how']}: {change}"
    if not mistake["resolutions"]:
        yield "  it is not known what fixed it"


def _cut(text: str) -> str:
    return text if len(text) <= _BRIEF else text[:_BRIEF].rsplit(" ", 1)[0] + " …"
