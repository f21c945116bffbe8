r"""Find the values of the Kubernetes secrets in a text, whatever their names.

kubectl prints a manifest's keys by the alphabet, so `data` comes before `kind` tells what it is.
The trap: a list of manifests, line numbers of a reader before each line, and `kind: ConfigMap` with
data that is nobody's secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.privacy.secret_names import Hit
from memoria.privacy.secret_values import is_placeholder
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_SECRET = lazy_pattern(r"(?i)\bkind[\"']?:\s{0,9}[\"']?secret\b")
_LINE = lazy_pattern(
    r"(?m)^(?:[ \t]{0,8}\d{1,6}[\t\u2192|])?(?P<indent>[ \t]{0,80})(?P<dash>- )?"
    r"(?:[\"']?(?P<key>[\w.-]{1,253})[\"']?:(?:[ \t]{1,9}|$))?"
    r"[\"']?(?P<rest>[^\n]*?)[\"']?,?[ \t]*$"
)
_INLINE = lazy_pattern(r"\"(?:data|stringData)\"\s?:\s?\{([^{}\n]{1,20000})\}")
_INLINE_VALUE = lazy_pattern(r":\s?\"([^\"]{4,20000})\"")
_LEAST = 4


@dataclass(slots=True)
class _Manifest:
    """What is known of one manifest: its keys so far, its kind, the spans of its data."""

    keys: set[str] = field(default_factory=set)
    kind: str = ""
    values: list[tuple[int, int]] = field(default_factory=list)


class _Reader:
    """Reads manifests line by line; `open` has the unfinished ones by their depth."""

    def __init__(self) -> None:
        self.open: dict[int, _Manifest] = {}
        self.data: tuple[int, _Manifest] | None = None

    def close(self, depth: int) -> Iterator[tuple[int, int]]:
        """Finish the manifests of a depth and deeper; give the values of secrets."""
        for deep in [deep for deep in self.open if deep >= depth]:
            manifest = self.open.pop(deep)
            if manifest.kind.lower() == "secret":
                yield from manifest.values

    def read(self, line: re.Match[str]) -> Iterator[tuple[int, int]]:
        """Take one line."""
        key, rest = line["key"] or "", line["rest"]
        depth = len(line["indent"]) + 2 * bool(line["dash"])
        if self.data and (depth > self.data[0] or not key + rest):
            self.data[1].values.append(line.span("rest"))
            return
        self.data = None
        if rest == "---" and not key:
            yield from self.close(0)
        elif key in {"apiVersion", "kind", "data", "stringData"}:
            again = key in self.open.get(depth, _Manifest()).keys
            yield from self.close(depth if again or line["dash"] else depth + 1)
            manifest = self.open.setdefault(depth, _Manifest())
            manifest.keys.add(key)
            if key == "kind":
                manifest.kind = rest
            elif key != "apiVersion" and rest in {"", "{"}:
                self.data = (depth, manifest)


def _inline(text: str) -> Iterator[tuple[int, int]]:
    """Give the values of manifests that stand on one line."""
    for found in _SECRET.finditer(text):
        begin = text.rfind("\n", 0, found.start()) + 1
        if text.find("{", begin, found.start()) < 0 or _SECRET.search(text, begin, found.start()):
            continue
        stop = text.find("\n", found.end())
        for data in _INLINE.finditer(text, begin, stop if stop >= 0 else len(text)):
            yield from (value.span(1) for value in _INLINE_VALUE.finditer(text, *data.span(1)))


def manifests(text: str) -> Iterator[Hit]:
    """Find the values of Kubernetes secrets."""
    if not _SECRET.search(text):
        return
    reader = _Reader()
    spans = [span for line in _LINE.finditer(text) for span in reader.read(line)]
    for start, end in (*spans, *reader.close(0), *_inline(text)):
        if end - start >= _LEAST and not is_placeholder(text[start:end]):
            yield Hit(start, end, "kubernetes-secret")
