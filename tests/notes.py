"""What tests of Markdown share: text that wants to be active, entries, and the real schema."""

from datetime import date, datetime, time
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memoria.compile.patch import ArticleChange, Context, Line, Section
from memoria.vault.entry import Draft, Entry
from memoria.vault.schema import schema

DAY = date(2026, 4, 1)
AGENTS = (Path(__file__).resolve().parents[1] / "AGENTS.md").read_text(encoding="utf-8")
SCHEMA = schema(AGENTS)

# pieces that Markdown, Obsidian and YAML give a meaning; joined at random they find what a table
# of cases does not
MEANING = [
    *("[", "]", "(", ")", "<", ">", "!", "`", "``", "```", "\\", "%", "=", "$", "~~~", "|", ":"),
    *("[[", "]]", "](", "![", "[[concepts/known]]", "[[unknown|words]]", "[x]: ", "[ ] ", "<%"),
    *("# ", "## ", "### Session (10:00) - x", "- ", "* ", "1. ", "> ", "---", "===", "***"),
    *("<img src=x>", "</p>", "<!--", "-->", "&lt;", "&#60;", "http://e.x", "javascript:", "{", "}"),
    *(" ", "\n", "\n\n", "\t", "\r", "\r\n", "\u2028", "\x85", "\xa0", "a", "b", "é", "😀", "日"),
]
hostile = st.lists(st.sampled_from(MEANING), max_size=24).map("".join) | st.text(max_size=50)

_MARKDOWN = MarkdownIt("commonmark", {"html": True, "linkify": False})


def tokens(text):
    """Give the types of all tokens that a Markdown parser finds."""
    found = set()
    for token in _MARKDOWN.parse(text):
        found.add(token.type)
        found |= {child.type for child in token.children or ()}
    return found


def active(text):
    """Give what of a text would do something when it is shown."""
    return tokens(text) & {"html_block", "html_inline", "image", "link_open"}


def entry(number=1, day=DAY, **words):
    """Make an entry; `words` are the fields of its draft."""
    draft = Draft(**{"title": f"Session {number}", "context": "", **words})
    at = datetime.combine(day, time(10, number % 60))
    return Entry(f"e-{number:012x}", day, at, "github.com/ana/shop", "s-1", "offline", draft)


def change(slug="tokens", lead="Tokens expire.", **more):
    """Make a change of an article, a concept by default."""
    values = {"kind": "concept", "slug": slug, "title": slug.title(), "lead": lead}
    values |= {"sections": (), "entries": ("e-000000000001",)}
    return ArticleChange(**values | more)


def section(heading, *lines, prose="", of="e-000000000001"):
    return Section(heading, prose, tuple(Line(text, of) for text in lines))


def context(articles=(), entries=None, *, owned=True, unreadable=(), kinds=SCHEMA):
    """Make what a patch is checked against; `articles` are the existing ones."""
    entries = [entry(1), entry(2, date(2026, 4, 2))] if entries is None else entries
    return Context(
        schema=kinds,
        entries={one.id: one for one in entries},
        articles={article.path: article for article in articles},
        owned=lambda path: owned,
        unreadable=unreadable,
    )


@cache
def with_recipes():
    """Give the schema of an AGENTS.md to which a person has added a row."""
    row = "| recipe | `recipes/` | title, servings | Ingredients; Steps; Sources | compile |\n"
    at = AGENTS.index("| qa | `qa/`")
    return schema(AGENTS[:at] + row + AGENTS[at:])
