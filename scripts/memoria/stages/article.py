"""Markdown of an article <-> Article: frontmatter, title, lead, sections.

Reading keeps every byte and a change touches only the keys and sections that it names, because
people edit these files: an article that is read and written unchanged has the same bytes. The
frontmatter is a subset of YAML (no tags, no aliases, shallow, small), so that a note from elsewhere
cannot run or swell anything; what lies outside of it makes the article unreadable, which is said
and leaves the file alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import yaml

from memoria.errors import VaultError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# frontmatter of real articles is below 2 KB; this leaves room for hundreds of sources
_FRONT_LIMIT = 64 * 1024
_DEPTH_LIMIT = 4
_KEY = re.compile(r"^([A-Za-z_][\w-]*):")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_PLAIN = re.compile(r"[a-z][a-z0-9-]*")
# words that YAML 1.1 reads as something else than text
_YAML_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[])")
_SOURCE = re.compile(r"\s*\(\[\[daily/[^\]]*\]\]\)\s*$")


@dataclass(frozen=True, slots=True)
class Article:
    """A note under knowledge/: `path` is relative to knowledge/ without ending ("concepts/x").

    `meta` is the frontmatter as values, `front` as it stands between its fences. `preamble` is
    everything between frontmatter and first section as it stands: the title, then the `lead`.
    `sections` are (heading, body), the body as it stands. `sha` is the hash of the file that it was
    read from ("" = a new one): what it becomes replaces only that.
    """

    path: str
    kind: str
    meta: Mapping[str, Any]
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    front: str = ""
    preamble: str = ""
    sha: str = ""

    @property
    def key(self) -> str:
        """What the engine recognises the topic by, "" where it has none."""
        return str(self.meta.get("key") or "")

    @property
    def slug(self) -> str:
        """The file's name without ending."""
        return self.path.rsplit("/", 1)[-1]

    def section(self, heading: str) -> str:
        """Give the body of a section, "" where there is none."""
        return next((body for name, body in self.sections if name.strip() == heading), "")

    def names(self, key: str) -> tuple[str, ...]:
        """Give a frontmatter list as text, () where it is missing or something else."""
        value = self.meta.get(key)
        return tuple(str(item) for item in value) if isinstance(value, list) else ()


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases (bombs) and deep nesting."""

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - yaml's own signature
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        depth = getattr(self, "depth", 0)
        if depth > _DEPTH_LIMIT:
            raise yaml.YAMLError("nested too deeply")
        self.depth = depth + 1
        node = super().compose_node(parent, index)
        self.depth = depth
        return node


def parse(path: str, kind: str, text: str) -> Article:
    """Read an article; VaultError names the file and what is wrong with its frontmatter."""
    front, body = _split_front(path, text)
    meta = _meta(path, front)
    preamble, sections = _split_sections(body)
    title, lead = _title_and_lead(preamble)
    title = title or str(meta.get("title") or path)
    return Article(path, kind, meta, title, lead, sections, front, preamble)


def render(article: Article) -> str:
    """Give the file's text."""
    sections = "".join(f"## {heading}\n{body}" for heading, body in article.sections)
    return f"---\n{article.front}---\n{article.preamble}{sections}"


def compose(path: str, kind: str, meta: Mapping[str, Any], title: str, lead: str) -> Article:
    """Make a new article without sections."""
    front = "".join(_emit(key, value) for key, value in meta.items())
    preamble = f"\n# {title}\n\n" + (f"{lead}\n\n" if lead else "")
    return Article(path, kind, dict(meta), title, lead, (), front, preamble)


def with_meta(article: Article, changes: Mapping[str, Any]) -> Article:
    """Set frontmatter keys; lines of other keys stay as they are, new keys come last."""
    chunks = _chunks(article.front)
    for key, value in changes.items():
        if article.meta.get(key) != value:
            chunks[key] = _emit(key, value)
    front = "".join(chunks.values())
    return replace(article, meta={**article.meta, **changes}, front=front)


def with_lead(article: Article, lead: str) -> Article:
    """Replace the text between the title and the first section."""
    preamble = f"\n# {article.title}\n\n{lead}\n\n"
    return replace(article, lead=lead, preamble=preamble)


def with_body(article: Article, heading: str, body: str, order: Iterable[str] = ()) -> Article:
    """Set a section's body (text without surrounding blank lines); `order` places a new section."""
    framed = f"\n{body.strip(chr(10))}\n"
    names = [name.strip() for name, _ in article.sections]
    sections = list(article.sections)
    if heading in names:
        at = names.index(heading)
        tail = "\n" if at < len(sections) - 1 else ""
        sections[at] = (sections[at][0], framed + tail)
    else:
        at = _position(names, heading, tuple(order))
        if at == len(sections):
            sections = [*sections[:-1], *(_closed(last) for last in sections[-1:])]
            sections.append((heading, framed))
        else:
            sections.insert(at, (heading, framed + "\n"))
    return replace(article, sections=tuple(sections))


def _closed(section: tuple[str, str]) -> tuple[str, str]:
    return (section[0], section[1].rstrip("\n") + "\n\n")


def _position(names: list[str], heading: str, order: tuple[str, ...]) -> int:
    if heading in order:
        for later in order[order.index(heading) + 1 :]:
            if later in names:
                return names.index(later)
    return len(names)


def with_lines(
    article: Article, heading: str, lines: Iterable[str], order: Iterable[str] = ()
) -> Article:
    """Add bullet lines to a section, after what is there; a line that is there already is left."""
    body = article.section(heading)
    have = {bare(line) for line in body.splitlines()}
    added: list[str] = []
    for line in lines:
        if bare(line) not in have:
            have.add(bare(line))
            added.append(f"- {line}")
    if not added:
        return article
    old = body.strip("\n")
    # a list goes on without a blank line, prose does not
    joint = "\n" if old.splitlines()[-1:] and old.splitlines()[-1].startswith("- ") else "\n\n"
    text = f"{old}{joint if old else ''}" + "\n".join(added)
    return with_body(article, heading, text, order)


def bare(line: str) -> str:
    """Reduce a line to its words (no bullet, source link or case), to see that two are the same."""
    text = _SOURCE.sub("", line.strip().removeprefix("- "))
    return " ".join(text.casefold().split())


def summary(article: Article, limit: int = 160) -> str:
    """Give the first sentence of an article, for its row of the index (`limit` characters)."""
    text = " ".join(article.lead.split()) or article.title
    first = _SENTENCE.split(text, maxsplit=1)[0]
    if len(first) <= limit:
        return first
    return first[:limit].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def _split_front(path: str, text: str) -> tuple[str, str]:
    text = text.removeprefix("\ufeff")
    if not text.startswith("---\n"):
        raise VaultError(f"knowledge/{path}.md has no frontmatter")
    end = text.find("\n---\n", 3)
    if end < 0:
        raise VaultError(f"knowledge/{path}.md: the frontmatter is not closed by a line ---")
    if end > _FRONT_LIMIT:
        raise VaultError(f"knowledge/{path}.md: the frontmatter is over {_FRONT_LIMIT // 1024} KB")
    return text[4 : end + 1], text[end + 5 :]


def _meta(path: str, front: str) -> dict[str, Any]:
    try:
        value = yaml.load(front, Loader=_Loader)  # noqa: S506 - a SafeLoader, and stricter
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise VaultError(f"knowledge/{path}.md: bad frontmatter: {reason}") from error
    if not isinstance(value, dict):
        raise VaultError(f"knowledge/{path}.md: the frontmatter is not a list of keys")
    return {str(key): item for key, item in value.items()}


def _split_sections(body: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    preamble, sections = "", []
    heading, start, at, fence = "", -1, 0, ""
    for line in body.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        elif not fence and line.startswith("## "):
            if start < 0:
                preamble = body[:at]
            else:
                sections.append((heading, body[start:at]))
            heading, start = line[3:].removesuffix("\n"), at + len(line)
        at += len(line)
    if start < 0:
        return body, ()
    return preamble, (*sections, (heading, body[start:]))


def _title_and_lead(preamble: str) -> tuple[str, str]:
    before, mark, rest = preamble.partition("# ")
    if mark and not before.strip():
        title, _, lead = rest.partition("\n")
        return title.strip(), lead.strip()
    return "", preamble.strip()


def _chunks(front: str) -> dict[str, str]:
    chunks: dict[str, str] = {}
    key = ""
    for line in front.splitlines(keepends=True):
        match = _KEY.match(line)
        key = match.group(1) if match else key
        chunks[key] = chunks.get(key, "") + line
    return chunks


def _emit(key: str, value: Any) -> str:  # noqa: ANN401 - any YAML value
    if isinstance(value, list | tuple):
        if key in {"aliases", "tags"} or not value:
            return f"{key}: [{', '.join(_scalar(item) for item in value)}]\n"
        return f"{key}:\n" + "".join(f"  - {_quoted(str(item))}\n" for item in value)
    return f"{key}: {_scalar(value)}\n"


def _scalar(value: Any) -> str:  # noqa: ANN401 - any YAML scalar
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    text = str(value)
    return text if _PLAIN.fullmatch(text) and text not in _YAML_WORDS else _quoted(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
