"""Make text of any origin inert Markdown: it reads the same and does nothing in a vault.

An allow-list by rewriting, because a vault is opened in programs that fetch images, run plugin code
blocks and follow links: HTML becomes text, images and links become their words, embeds become their
names, and only `[[wikilinks]]` to known notes stay links. Inline code is exempt from most of this,
so it has to be told exactly as Markdown tells it; and what is taken away can join its neighbours to
a new link, so whatever still looks like one is escaped at the end.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator

from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import strip_hidden

# Markdown's line ends alone: a title or a path may hold others, such as U+2028
LINE = lazy_pattern(r"[^\n]*\n|[^\n]+")
# an escaped backtick opens no code; in pairs, so that `\\` is not taken for an escape
_ESCAPE_OR_TICKS = lazy_pattern(r"\\[\\`]|(`+)")
_TICK_RUN = lazy_pattern(r"`+")
# `[words](target)` and `![words](target)`: bounded, so that a run of brackets stays linear
_LINK = lazy_pattern(r"!?\[([^\[\]\n]{0,300})\]\(\s*<?([^()\s<>]{0,2000})>?[^()\n]{0,200}\)")
_WIKILINK = lazy_pattern(  # "![[target#heading|words]]"
    r"(!?)\[\[([^\[\]\n|#]{1,200})(#[^\[\]\n|]{0,200})?(\|[^\[\]\n]{0,200})?\]\]"
)
_ENTRY_BLOCK = lazy_pattern(r"#\^e-[0-9a-f]{12}")  # "#^e-0f3a12bc34de"
# without one of these nothing below finds anything: most text is done at once
_MAY_ACT = lazy_pattern(r"[<\[\]%]|(?i:script|file|data|obsidian):")
# a bare address of these is a link in some viewers, and acts when it is clicked
_ACTING_SCHEME = lazy_pattern(
    r"(?i)\b((?:java|vb)script:(?=\S)|(?:file|obsidian):(?=/)|data:(?=\w+/))"
)
_TAG_OPENING = lazy_pattern(r"<(?=[A-Za-z/!?%])")
_DOUBLE_BRACKET = lazy_pattern(r"\[(?=\[)")
_DOUBLE_PERCENT = lazy_pattern(r"%(?=%)")
# "# ", ">", "---", "- ", "|", "[a]: ": a line that begins so would change the note around it
_BLOCK_START = lazy_pattern(
    r"#{1,6}(?=\s|$)|>|(?:[-*_]\s*){3,}$|[-+*](?=\s|$)|=+$|~~~|\||:::|\+\+\+"
    r"|\[[^\[\]]\](?=\s|$)|\[(?!\[).*\]:"  # a task's box, a reference's definition
)
_NUMBERED_START = lazy_pattern(r"(\d{1,9})([.)](?=\s|$))")
_FENCE = lazy_pattern(r"(?s) {0,3}(`{3,}|~{3,})(.*)")  # "```python"
_LIST_ITEM = lazy_pattern(  # "- x", "2. x", "- [ ] x"
    r"(?s)\s*(?:[-*+]|(\d{1,9})[.)])\s+(?:\[[ xX]\]\s+)?(.*)"
)
# links within links: what is left after so many rounds is nothing a person wrote
_MAX_LINK_ROUNDS = 3
_EXECUTED_SIGNS = ("=", "$=")  # Dataview and its like execute inline code that begins with these
_THREE_TICKS = "```"
_WORD = lazy_pattern(r"\w+")


def find_wikilinks(text: str) -> tuple[str, ...]:
    """Give the targets of the wikilinks of a text, in order, without heading and alias."""
    targets = (
        match[2].strip()
        for line in text.split("\n")
        for piece, is_code in _split_inline_code(line)
        if not is_code
        for match in _WIKILINK.finditer(piece)
    )
    return tuple(targets)


def next_fence(fence: str, line: str) -> str:
    """Give the code fence that is open after a line, from the one open before it ("" for none)."""
    mark = _FENCE.match(line)
    if not mark:
        return fence
    run, tail = mark.groups()
    if not fence:
        # backticks in the rest of the line: it is inline code
        return "" if run.startswith("`") and "`" in tail else run
    is_closing = run.startswith(fence) and not tail.strip()
    return "" if is_closing else fence


def find_headings(
    lines: Iterable[tuple[int, str]],
    marks: tuple[str, ...],
    is_ours: Callable[[int, str], bool] = lambda _at, _line: False,
) -> Iterator[tuple[int, str]]:
    """Yield the lines that begin with a mark, of (start, line); code fences hide them.

    A fence that is not closed before the end, or before a line of ours, hides nothing.
    """
    headings: list[tuple[int, str, bool]] = []
    fence, opened = "", 0
    for at, line in lines:
        outer_fence = fence
        if fence and is_ours(at, line):
            headings = [
                (start, head, is_hidden and start < opened) for start, head, is_hidden in headings
            ]
            fence = outer_fence = ""
        fence = next_fence(fence, line)
        opened = at if fence and not outer_fence else opened
        if line.startswith(marks):
            headings.append((at, line, bool(fence)))
    for start, head, is_hidden in headings:
        if not is_hidden or (fence and start > opened):
            yield start, head


def strip_code_blocks(text: str) -> Iterator[str]:
    """Give the lines outside of code fences: Memoria writes none, and some programs run them."""
    fence = ""
    for line in text.splitlines():
        item = _LIST_ITEM.match(line)  # one may begin in an item, too
        outer_fence, fence = fence, next_fence(fence, item[2] if item else line)
        if not (fence or outer_fence):
            yield line


def make_inert(text: str, notes: Container[str] = ()) -> str:
    """Make a text one inert line; wikilinks survive only where `notes` holds their target.

    `notes` are note paths without ending, relative to knowledge/ or to the vault.
    """
    pieces = _split_inline_code(" ".join(text.split()))
    line = "".join(
        _make_code_inert(piece) if code else _make_text_inert(piece, notes)
        for piece, code in pieces
    )
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBERED_START.sub(r"\1\\\2", line, count=1) if _NUMBERED_START.match(line) else line


def normalise_words(text: str) -> str:
    """Reduce a line to its words, without case: made inert, it has the same mark."""
    line = make_inert(text) if "[" in text else text  # links lose their targets there
    return " ".join(_WORD.findall(line.replace("&lt;", "<").casefold()))


def make_prose_inert(text: str, notes: Container[str] = ()) -> str:
    """Make paragraphs inert: each paragraph one line, lists kept, fences and HTML as plain text."""
    parts: list[str] = []
    is_item = False
    for mark, words in _split_blocks(text):
        if line := make_inert(words, notes):
            parts += ["\n" if mark and is_item else "\n\n"] if parts else []
            parts.append(mark + line)
            is_item = bool(mark)
    return "".join(parts)


def _split_blocks(text: str) -> list[tuple[str, str]]:
    """Part a text into paragraphs ("", words) and items of lists (mark, words)."""
    blocks: list[tuple[str, str]] = []
    fence, is_open = "", False
    for line in text.splitlines():
        outer_fence, fence = fence, next_fence(fence, line)
        item = _LIST_ITEM.match(line)
        if fence != outer_fence or not line.strip():
            is_open = False
        elif item and (not is_open or blocks[-1][0] or item[1] in {None, "1"}):
            blocks.append((f"{item[1]}. " if item[1] else "- ", item[2]))
            is_open = True
        elif is_open:
            mark, words = blocks[-1]
            blocks[-1] = (mark, f"{words} {line}")
        else:
            blocks.append(("", line))
            is_open = True
    return blocks


def _split_inline_code(line: str) -> Iterator[tuple[str, bool]]:
    """Part a line as Markdown does: text with lone backticks escaped, and True for inline code."""
    text, at = "", 0
    unpaired: set[str] = set()
    while match := _ESCAPE_OR_TICKS.search(line, at):
        text += line[at : match.start()]
        at = match.end()
        ticks = match[1]
        ends = (end.end() for end in _TICK_RUN.finditer(line, at) if end[0] == ticks)
        end = -1 if ticks is None or ticks in unpaired else next(ends, -1)
        if ticks is None:
            text += match[0]
        elif end < 0:
            unpaired.add(ticks)
            text += "\\`" * len(ticks)
        else:
            yield text, False
            yield line[match.start() : end], True
            text, at = "", end
    yield text + line[at:], False


def _make_code_inert(piece: str) -> str:
    inner = piece.strip("`")
    if piece.startswith(_THREE_TICKS) and "`" not in inner:
        # at a line's begin some programs take three for a fence, whose language they may run
        piece = f"`{inner}`"
    if inner.lstrip().startswith(_EXECUTED_SIGNS):
        return _make_text_inert("'" + inner.replace("`", "\\`") + "'", ())
    # templates are filled in within code, too
    return piece.replace("<%", "< %")


def _make_text_inert(text: str, notes: Container[str]) -> str:
    if not _MAY_ACT.search(text):
        return text
    text = _keep_known_links(_LINK.sub(_unlink, text), notes)
    text = _TAG_OPENING.sub("&lt;", text)
    text = _DOUBLE_PERCENT.sub("% ", text)
    text = _ACTING_SCHEME.sub(r"\1 ", text)
    return text.replace("](", "]\\(")


def _unlink(match: re.Match[str]) -> str:
    words, target = match[1].strip(), match[2]
    if not target.startswith(("https://", "http://")) or match[0].startswith("!"):
        return words or "(image)"
    return f"{words} ({target})" if words and words != target else target


def _keep_known_links(text: str, notes: Container[str]) -> str:
    """Keep links to known notes; what looks like a link besides them is broken."""
    for _ in range(_MAX_LINK_ROUNDS):
        text = _WIKILINK.sub(lambda match: _keep_known(match, notes), text)
    parts, at = [], 0
    for match in _WIKILINK.finditer(text):
        if _keep_known(match, notes) == match[0]:
            parts += [_DOUBLE_BRACKET.sub("[\\\\", text[at : match.start()]), match[0]]
            at = match.end()
    return "".join([*parts, _DOUBLE_BRACKET.sub("[\\\\", text[at:])])


def _keep_known(match: re.Match[str], notes: Container[str]) -> str:
    embed, target = match[1], match[2].strip().removesuffix(".md")
    alias = (match[4] or "")[1:].strip()
    if target in notes and not embed:
        # the block of an entry is a part of its address; other headings say nothing that is checked
        block = match[3] if _ENTRY_BLOCK.fullmatch(match[3] or "") else ""
        return f"[[{target}{block}|{alias}]]" if alias else f"[[{target}{block}]]"
    return alias or target or "[]"


# -- Blocks that nothing in a text can leave or run ------------------------------------------------

# some programs run blocks of certain languages, so the word behind the fence is never from a text
_FENCE_RUN = lazy_pattern(r"`{3,}")
_LINE_CHARS = 160  # longer lines are data, and nobody scrolls sideways


def format_code_block(text: str, word: str = "text") -> str:
    """Fence a text; `word` is a language, which no text may choose."""
    # templates are filled in within code, too
    stripped = strip_hidden(text).strip("\n").replace("<%", "< %").split("\n")
    body = "\n".join(
        line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1].rstrip()}…"
        for line in map(str.rstrip, stripped)
    )
    mark = "`" * (max((len(run) for run in _FENCE_RUN.findall(body)), default=2) + 1)
    return f"{mark}{word}\n{body}\n{mark}"


def format_quote(text: str) -> str:
    """Quote what a person said: paragraphs and lists stay, nothing in it is active."""
    return "\n".join(f"> {line}".rstrip() for line in make_prose_inert(text).split("\n"))


def format_inline_code(text: str) -> str:
    """Give one line as inline code."""
    line = " ".join(strip_hidden(text).split())
    longest = max((len(run) for run in _TICK_RUN.findall(line)), default=0)
    mark = "`" * (longest + 1)
    # a backtick at the border would join the mark
    edge = " " if longest and (line.startswith("`") or line.endswith("`")) else ""
    return make_inert(f"{mark}{edge}{line}{edge}{mark}") if line else ""
