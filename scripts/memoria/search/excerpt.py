"""Answer a question by plain code: the best lines of the pages, with links.

It says of itself that it is extracted, and that the vault does not know where the pages hold too
little of what was asked. Words that all pages share tell nothing, so a word counts by how few lines
have it. A question that names a section (Decisions, Commands) is answered from its lines first, by
what else it asks. A filed answer that is itself made of quotes is not quoted once more at each
asking; what a person or a model wrote stands for the answer instead.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, NamedTuple

from memoria.search.answer import QueryAnswer
from memoria.text.markdown import find_wikilinks, next_fence
from memoria.text.prose import clip_text, split_sentences
from memoria.text.word_overlap import containment, stems
from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.llm.port import QueryMaterial
    from memoria.search.pages import Page
    from memoria.vault.article import Article

EXTRACTIVE = "Extracted, not written by a model: what fits the question best, as it stands."
# as many quotes as one reads before asking anew, and not all of one page if there are others
_MAX_QUOTES, _MAX_OF_PAGE = 5, 3
_MAX_QUOTE_CHARS = 400  # characters of a quote: a line of an article that is longer is a paragraph
# shares of what was asked, by weight: for an answer, for one by rules, for a line to be quoted, and
# of the best line's for that. With these all of 18 questions were answered that a vault of
# sample sessions knows, none of 18 that it does not know, and 1 of those in a vault of 59 real ones
# (of 26 later ones that ask for decisions and commands that the two vaults do not know, 2)
_MIN_SHARE, _MIN_SHARE_OF_RULES, _MIN_SCORE, _OF_BEST = 0.55, 0.35, 0.3, 0.6
_REPEATED = 0.75  # two lines that share so much say the same
_TITLE_WEIGHT = 0.8  # a line speaks of its page's topic, but less surely than if it names it
_MIN_PREFIX = 4  # letters: "auth" stands for "authentication", "in" for nothing
# stems of words that ask and tell nothing of what is asked
_ASKING_STEMS = frozenset(
    """about all apply approach caus come convention could describ did explain get go got handl
    happen know list long made may mean must need often pattern pleas practic represent run say
    should show strategi strategy tell work would""".split()  # noqa: SIM905 - a list of words is read as text
)
# stems by which a rule is asked for: no rule says of itself that it is one
_RULE_STEMS = frozenset(("allow", "ban", "bann", "forbid", "forbidden", "permitt", "rul", "rule"))
# "HTTP status code" and the like: a line that answers has the number alone, 422
_STATUS_WORDS = re.compile(r"\b(?:HTTP status(?: code)?|(?:status|error) code)\b", re.IGNORECASE)
# "Redis" of "does Ann use Redis": what no line names the vault does not know
_CAPITALISED = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
_DOUBLED_END = re.compile(r"([b-df-hj-np-tv-z])\1$")  # "logg", not "free"
_LIST_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")  # "2) ", "- [ ] "
_LABEL = re.compile(r"\*\*[^*]{1,40}:\*\*\s*")  # "**Decisions Made:** "
_DAY_AT_END = re.compile(r"\s*\(((?:until )?\d{4}-\d{2}-\d{2})\)$")
# lines of tables, quotes, HTML, what was quoted before (`- "a line" ([[qa/x]])`), and what Memoria
# counts of sessions
_NEVER_QUOTED = re.compile(
    rf"\s*[|><]|{re.escape(EXTRACTIVE)}|- (?:[^\"]{{5,80}}: )?\".*\" \([\[\d].{{5,200}}\)$"
    r"|Branch `|Worked on from \d"
)
_TABLE_RULER = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")  # "|---|:-:|"
_CELL_END = re.compile(r"(?<!\\)\|")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)")
# of a project's page what stands on pages of its own
_PASSED_OVER = {*GENERATED, "Follow-Up Questions", "Last Sessions", "Topics", "Rules"}
_WIKILINK = re.compile(r"!?\[\[([^\[\]\n|]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]")  # "[[qa/x|it]]"


class _PageLine(NamedTuple):
    """A line of a page: `page` and `place` give the order, `score` its share of what was asked."""

    page: int
    place: int
    section: str
    text: str
    stems: frozenset[str]
    score: float = 0.0


def extract_answer(material: QueryMaterial) -> QueryAnswer:
    """Answer from the pages' own lines, or with the answer that was filed before."""
    if material.filed and is_authored(material.filed):
        path, text = material.filed.path, material.filed.section("Answer").strip()
        return QueryAnswer(True, f"{text} ([[{path}]])", (path,))
    lines = _choose_answering_lines(material)
    if not lines:
        return QueryAnswer(False, "")
    quotes = [_format_quote(line, material.pages[line.page]) for line in lines]
    paths = tuple(dict.fromkeys(material.pages[line.page].path for line in lines))
    return QueryAnswer(True, "\n".join([EXTRACTIVE, "", *quotes]), paths)


def _choose_answering_lines(material: QueryMaterial) -> list[_PageLine]:
    """Choose the lines that answer: of a section that is named, else of all."""
    text, pages = _STATUS_WORDS.sub("", material.text), material.pages
    words, names = stems(text), stems(" ".join(_CAPITALISED.findall(text))) - _ASKING_STEMS
    stems_asked = words - _ASKING_STEMS or words
    lines = [line for place, page in enumerate(pages) for line in _list_lines(place, page)]
    if _find_held_stems(names, frozenset().union(*(line.stems for line in lines))) != names:
        return []
    if words & _RULE_STEMS and stems_asked - _RULE_STEMS:
        of_rules = [line for line in lines if pages[line.page].kind == "rule"]
        return _choose_enough_lines(of_rules, pages, stems_asked - _RULE_STEMS, _MIN_SHARE_OF_RULES)
    naming = {name: _find_heading_words(name, words) for name in {line.section for line in lines}}
    of_named = [line for line in lines if naming[line.section]]
    stems_left, answering = stems_asked.difference(*naming.values()), of_named[:_MAX_QUOTES]
    if stems_left:
        answering = _choose_enough_lines(of_named, pages, stems_left, _MIN_SHARE)
    return answering or _choose_enough_lines(lines, pages, stems_asked, _MIN_SHARE)


def _find_heading_words(heading: str, words: frozenset[str]) -> frozenset[str]:
    """Give the words by which a question names a section: one whole part of its heading."""
    parts = (stems(part) - _ASKING_STEMS for part in heading.split(" and "))
    named_parts = (part for part in parts if part and _find_held_stems(part, words) == part)
    return _find_held_stems(words, frozenset().union(*named_parts))


def _choose_enough_lines(
    lines: list[_PageLine], pages: Sequence[Page], stems_asked: frozenset[str], enough_share: float
) -> list[_PageLine]:
    """Choose the best lines where they hold enough of what is wanted, else none."""
    counts = Counter(word for line in lines for word in _find_held_stems(stems_asked, line.stems))
    weights = {word: log(1 + len(lines) / (1 + counts[word])) for word in stems_asked}
    # a rule's frontmatter names its projects
    topics = (f"{page.title} {page.front * (page.kind == 'rule')}" for page in pages)
    titles = [_find_held_stems(stems_asked, stems(topic)) for topic in topics]
    scored = [_score_line(line, titles[line.page], weights) for line in lines]
    distinct = _choose_distinct_lines(scored)
    subjects = [_find_held_stems(stems_asked, line.stems) | titles[line.page] for line in distinct]
    share = max((_share(subject, weights) for subject in subjects), default=0.0)
    return distinct if share >= enough_share else []


def is_authored(filed: Article) -> bool:
    """Whether a filed answer was written by a person or a model, and not extracted."""
    text = filed.section("Answer").strip()
    return bool(text) and EXTRACTIVE not in text


def _list_lines(page_number: int, page: Page) -> Iterator[_PageLine]:
    """Yield the lines of the page at that place that can be quoted, a rule's title first.

    A row of a table is about its first cell: the rest of it tells of that.
    """
    if page.kind == "rule":
        yield _PageLine(page_number, 0, "", page.title, stems(page.title))
    for place, (section, text, cells) in enumerate(_split_texts(page), 1):
        yield _PageLine(page_number, place, section, text + cells, stems(text))


def _split_texts(page: Page) -> Iterator[tuple[str, str, str]]:
    """Yield the section and text of each item, sentence and row; a row's further cells apart."""
    heading, fence, head, previous = "", "", "", ""
    for line in page.text.splitlines():
        was_in_fence, fence = fence, next_fence(fence, line)
        head = previous if _TABLE_RULER.fullmatch(line) else head * line.startswith("|")
        previous = line
        if fence or was_in_fence:
            continue
        if line.startswith("#") or _LABEL.fullmatch(line):
            heading = "" if line.startswith("# ") else line.strip("#* :")
        elif heading in _PASSED_OVER or line.count("[[") != len(find_wikilinks(line)):
            continue  # the latter is code that would be taken for a link
        elif head and not _TABLE_RULER.fullmatch(line):
            yield (heading, *_split_row(head, line))
        elif _NEVER_QUOTED.match(line):
            continue
        elif item := _LIST_MARKER.match(line):
            yield heading, _strip_markup(line[item.end() :]), ""
        else:
            yield from ((heading, text, "") for text in split_sentences(_strip_markup(line)))


def _split_row(head: str, line: str) -> tuple[str, str]:
    """Give a row's first cell, and the others by their columns."""
    rows = (_CELL_END.split(row.strip().strip("|")) for row in (head, line))
    (_, *columns), (first, *cells) = (list(map(_strip_markup, row)) for row in rows)
    named_cells = (f"{name.lower()}: {cell}" for name, cell in zip(columns, cells, strict=False))
    return first, f" ({'; '.join(named_cells)})"


def _strip_markup(line: str) -> str:
    bare_line = _COMMENT.sub("", _LABEL.sub("", line))
    return " ".join(_WIKILINK.sub(lambda match: match[2] or match[1], bare_line).split())


def _find_held_stems(stems_asked: Iterable[str], text_stems: frozenset[str]) -> frozenset[str]:
    """Give the wanted stems that a text has, also in a longer or a shorter form."""
    forms = frozenset(map(_normalise_stem, text_stems))
    long_stems = [stem for stem in text_stems if len(stem) >= _MIN_PREFIX]

    def has_form(word: str) -> bool:
        return any(word.startswith(other) or other.startswith(word) for other in long_stems)

    return frozenset(
        word
        for word in stems_asked
        if _normalise_stem(word) in forms or (len(word) >= _MIN_PREFIX and has_form(word))
    )


def _normalise_stem(stem: str) -> str:
    """Give one form of stems that differ at the end: bodi and body, logs and logg, decision."""
    root = _DOUBLED_END.sub(r"\1", stem.removesuffix("s").removesuffix("e"))
    return f"{root[:-1]}y" if root.endswith("i") else re.sub("sion$", "d", root)


def _score_line(
    line: _PageLine, title_stems: frozenset[str], weights: Mapping[str, float]
) -> _PageLine:
    line_stems = _find_held_stems(weights, line.stems)
    score = _share(line_stems, weights) + _TITLE_WEIGHT * _share(title_stems - line_stems, weights)
    return line._replace(score=score * bool(line_stems))


def _share(words: Iterable[str], weights: Mapping[str, float]) -> float:
    total = sum(weights.values())
    return sum(weights[word] for word in words) / total if total else 0.0


def _choose_distinct_lines(lines: list[_PageLine]) -> list[_PageLine]:
    """Choose the best lines, each said once."""
    ranked = sorted(lines, key=lambda line: (-line.score, line.page, line.place))
    least_score = max(_MIN_SCORE, _OF_BEST * ranked[0].score) if ranked else 0.0
    distinct: list[_PageLine] = []
    for line in ranked:
        if line.score < least_score or len(distinct) == _MAX_QUOTES:
            break
        is_repeated = any(containment(line.stems, other.stems) >= _REPEATED for other in distinct)
        if not is_repeated and sum(line.page == other.page for other in distinct) < _MAX_OF_PAGE:
            distinct.append(line)
    return distinct


def _format_quote(line: _PageLine, page: Page) -> str:
    dated = _DAY_AT_END.search(line.text)
    text = line.text[: dated.start()].removeprefix(f"{dated[1]}: ") if dated else line.text
    day = f"{dated[1]}: " if dated else ""
    if page.path.startswith("team/"):
        _, author, said_on = page.path.split("/")
        day = f"{author}, {said_on}: "
    day = f"{page.remark}: {day}" if page.remark else day
    return f'- {day}"{clip_text(text, _MAX_QUOTE_CHARS)}" ([[{page.link}]])'
