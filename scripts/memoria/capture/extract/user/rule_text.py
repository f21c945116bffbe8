"""Give the rule in a clause as one clean line, and say what it is about.

What leads in ("please", "from now on", "I told you to") and what trails ("thanks", a reason) is no
part of a rule; everything else stays in the user's own words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.user.clauses import split_clauses
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from memoria.vault.entry import Category

# written small on purpose: "npm", "src/x", "v2_x": programs and names with a mark or digit in them
_SMALL_NAME = re.compile(
    r"(?:npm|pnpm|yarn|uv|pip|git|gh|cargo|make|bun|npx|ruff|\w*[\d_./]\w*)(?!\w)"
)


# What may stand before a rule and is no part of it; taken off again and again.
_LEAD_IN = lazy_pattern(r"""(?ix)
    (?:[\s"'“”(\[*_.,;:!…\u2013\u2014-]+
    |(?:ok|okay|oh|ah|hmm+|hm|hey|hi|hello|well|yeah|yes|yep|no|nope|nah|argh|ugh|stop|wait|sorry
      |right|great|cool|also|btw|and|but|so|actually|please|pls|plz|just|again|still|listen|look
      |first|second|third|finally|important|note|reminder|nb|fyi|rule|claude
    |bitte)\b\s*[,.:;!\u2013\u2014-]+
    |(?:ok|okay|oh|ah|hmm+|well|yeah|also|btw|and|but|so|please|pls|plz|actually
      |claude(?=\ (?-i:[a-z])))\s
    |it(?:'d|\ would)\ (?:help|be\ (?:nice|great|good))(?:\ me)?(?:\ a\ lot)?\ if\b
    |by\ the\ way\b|in\ general\b|generally\b|one\ (?:more\ )?thing\b|note\ that\b
    |(?:for|as)\ (?:a|an|your)\ (?:reminder|info\w*|reference)\b
    |(?:from\ (?:now|here)\ on|going\ forward|moving\ forward|in\ (?:the\ )?future|henceforth
      |for\ the\ future|next\ time|as\ a\ (?:general\ )?rule|ab\ (?:jetzt|sofort)|désormais
      |à\ partir\ de\ maintenant|a\ partir\ de\ (?:ahora|agora))\b
    |(?:as|like)\ i(?:'ve)?\ (?:already\ )?said(?:\ before)?\b
    |(?:i|we)(?:'ve|\ have)?\ (?:already\ )?(?:told|asked)\ you
      (?:\ (?:before|already|many\ times|\w+\ times))*\ (?:to(?=\ )|that\b|(?=not\ to\ ))
    |i(?:'ve|\ have)?\ (?:already\ )?said\ (?:to(?=\ )|that\b|before\b)
    |i\ keep\ (?:telling|asking)\ you\ (?:to(?=\ )|that\b)
    |(?:don't|do\ not)\ forget\ (?:to(?=\ )|that\b)
    |remember\ (?:to(?=\ )|that\b)|remember(?=\ (?:we|i)\b)|remember\s?:
    |(?:save|note|store|add|keep)\ (?:this|that|it)\ (?:as\ a\ rule|in\ mind|down
      |to\ (?:your\ )?memory)\b
    |(?:i|we)(?:'?d|\ would)?\ (?:want|like|need|expect)\ you\ to(?=\ )
    |(?:can|could|would|will)\ you\ (?:please\ )?
      (?=(?:always|never|not|stop|make\ sure|only|from\ now\ on|in\ (?:the\ )?future)\b)
    |(?:you|u|we|claude)\ (?:should|must|need\ to|have\ to)\ (?!not\b|be\b|have\b|also\b)(?=\w)
    )\s*""")
_TRAIL = lazy_pattern(r"""(?ix)  # "... please :)", "... from now on."
    (?:[\s,;:.!?…\u2013\u2014-]|(?<!\u200d)[\U0001F300-\U0001FAFF\u2600-\u27BF\ufe0f]
    |[,\s](?:please|pls|thanks|thank\ you|ok|okay|from\ now\ on|going\ forward|moving\ forward
    |in\ (?:the\ )?future|:\)|;\)))+$""")
_NOT_TO = re.compile(r"(?i)not to (?=\w)")  # "(I told you) not to push"


def strip_lead_in(sentence: str) -> str:
    """Take off what leads in to a sentence: greetings, "please", "from now on", "I told you to"."""
    text = sentence.replace("\u2019", "'")
    while (lead := _LEAD_IN.match(text)) and lead.end() < len(text):
        text = text[lead.end() :]
        if lead.group().lower().startswith(("can", "could", "would", "will")):
            text = text.rstrip("? ")  # a polite order, not a question
    return _NOT_TO.sub("do not ", text, count=1) if _NOT_TO.match(text) else text


def format_rule_text(core: str) -> str:
    """Give the words of a rule as one line that begins with a capital and ends without a mark."""
    text = " ".join(core.split())
    while (shorter := _TRAIL.sub("", text)) != text:
        text = shorter
    if text.endswith((")", "]")) and "(" not in text and "[" not in text:
        text = text[:-1]
    return text if _SMALL_NAME.match(text) else text[:1].upper() + text[1:]


def list_rule_texts(quote: str) -> list[str]:
    """Give the rule in each clause of what the user said, whatever it weighs."""
    return [format_rule_text(strip_lead_in(clause.text)) for clause in split_clauses(quote)]


_CATEGORIES: dict[Category, re.Pattern[str]] = {
    "workflow": lazy_pattern(r"""(?ix)
        \b(?:commit|push|merg|rebas|squash|branch|prs?\b|pull\ request|review|release|deploy
        |tests?\b|ci\b|lint|changelog|before|after|first|ask|confirm|plan|ticket|approv|migrat
        |worktree)"""),
    "tool_usage": lazy_pattern(r"""(?ix)
        \b(?:npm|pnpm|yarn|uv|pip|poetry|bun|git|gh|cli|docker|make|grep|rg|sed|curl|bash|shell
        |terminal|editor|command|flags?|tools?|mcp|script|run|install|use|jq|formatter|linter|ruff
        |eslint|prettier|npx|cargo)\b|`"""),
    "architectural": lazy_pattern(r"""(?ix)
        \b(?:types?|typed|modules?|layers?|interfaces?|depend|librar|packages?|class|classes
        |functions?|abstraction|schema|naming|names?|folders?|director|files?|api|errors?|tables?
        |exceptions?|paths?|imports?|code|components?|design|pattern|structure|architecture
        |database|config|settings?|logging|strings?)"""),
}
# "the api runs on port 80", "every team has its own queue": states how things are
_FACTUAL = lazy_pattern(r"""(?ix)
    ^(?:the|our|a|an|this|all|every|each)\b.{2,80}
    \b(?:is|are|has|have|means?|stands?\ for|runs?|lives?|needs?)\b""")


def classify_rule(core: str) -> Category:
    """Say what a rule is about, by the kind that most of its words are of; the first on a tie."""
    lowered = core.lower()
    counts = {name: len(set(pattern.findall(lowered))) for name, pattern in _CATEGORIES.items()}
    best = max(counts, key=lambda name: counts[name])
    if not counts[best] or (_FACTUAL.match(core) and not counts["workflow"]):
        return "domain_knowledge"
    return best
