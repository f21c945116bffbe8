"""Write rules as the Markdown section that other tools' files show a model: one inert line each.

A rule's words may be anybody's, and programs act on what they find in such files: Claude Code loads
the file behind an `@path` in a CLAUDE.md, and runs the command behind `!` and a backtick in a
skill. An `@` is taken for a path also at the beginning of bold words, and in a skill even amid
inline code, but never right behind a backtick: so that is where it goes, and a rule that has one
keeps no other code.
"""

import re
from collections.abc import Sequence

from memoria.rules.model import Confidence, Rule
from memoria.text.markdown import make_inert
from memoria.text.numbers import format_count
from memoria.text.unicode import strip_hidden
from memoria.vault.written.categories import CATEGORIES

MARKERS: dict[Confidence, str] = {
    "high": "\N{LARGE GREEN CIRCLE}",
    "medium": "\N{LARGE YELLOW CIRCLE}",
    "low": "\N{MEDIUM WHITE CIRCLE}",
}
# two asterisks, and what of a line that `make_inert` made holds them as they are: inline code
_STARS_OR_CODE = re.compile(r"\*\*|(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)")
# "@docs/a.md" of "see @docs/a.md."; behind a letter (me@example.org) no program takes it for a path
_MENTION = re.compile(r"(\\*)(?<![^\W_])(@(?:[^\s`]*[^\s`*\\.,;:!?)\]}'\"]|\.+))")
# "**Run the tests**" of "- * **Run the tests** (seen 3x)"
_RULE_LINE = re.compile(r"^- \S+ (\*\*.+\*\*) \(seen ", re.MULTILINE)
# a last backslash that would escape what comes next: in "a\", not in "a\\"
_ESCAPING_END = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")


def format_section(rules: Sequence[Rule], *, entries: int = 0) -> str:
    """Give the section with these rules by category, the often seen first; "" without rules.

    `entries` says how many entries they come from where that is more than their sources tell: then
    it is a list to read and no order to follow.
    """
    ranked = sorted(
        (rule for rule in rules if plain(rule.text)),
        key=lambda rule: (not rule.pinned, -rule.frequency, rule.id),
    )
    if not ranked:
        return ""
    word = "skill" if entries else "rule"
    blocks = ["## Learned Skills", _format_intro(ranked, entries)]
    for category in CATEGORIES:
        title = category.replace("_", " ").title()
        if lines := [_format_rule(rule) for rule in ranked if rule.category == category]:
            blocks += [f"### {title} ({format_count(len(lines), word)})", "\n".join(lines)]
    return "\n\n".join(blocks)


def format_bold_text(rule: Rule) -> str:
    """Give a rule's words as its line has them, however often it had been seen then."""
    return f"**{plain(rule.text)}**"


def read_section(section: str) -> tuple[str, ...]:
    """Give the words of each rule in a section, as `format_bold_text` does."""
    return tuple(_RULE_LINE.findall(section))


def plain(text: str) -> str:
    """Make a rule's text one inert line that can stand between asterisks."""
    words = " ".join(strip_hidden(text).split())
    line = make_inert(words)
    if _MENTION.search(line):  # then there is no code but that of the mentions
        line = _MENTION.sub(_quote_mention, make_inert(words.replace("`", "")))
    line = _STARS_OR_CODE.sub(lambda match: match[0] if match[1] else r"\*\*", line)
    # the client runs what stands in a skill between such marks
    line = line.replace("`!", "` !").replace("!`", "! `")
    return line + "\\" if _ESCAPING_END.search(line) else line


def _quote_mention(match: re.Match[str]) -> str:
    """Write a word that begins with an @ as code; a backslash before it would undo that."""
    return match[1] + "\\" * (len(match[1]) % 2) + f"`{match[2]}`"


def _format_rule(rule: Rule) -> str:
    frequency = f"seen {rule.frequency}x" if rule.frequency > 1 else "seen once"
    pin = ", pinned" if rule.pinned else ""
    return f"- {MARKERS[rule.confidence]} {format_bold_text(rule)} ({frequency}{pin})"


def _format_intro(rules: Sequence[Rule], entries: int) -> str:
    if entries:
        skills = format_count(len(rules), "skill")
        places = format_count(entries, "entry", "entries")
        return f"{skills} found in {places}, those seen most often first."
    sources = {source for rule in rules for source in rule.sources}
    places_text = f"{format_count(len(sources), 'entry', 'entries')} on " if sources else ""
    order = "Follow it." if len(rules) == 1 else "Follow them."
    return f"{format_count(len(rules), 'rule')} learned from {places_text}earlier sessions. {order}"
