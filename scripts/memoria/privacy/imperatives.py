"""Judge whether a line of the memory gives later sessions an order, or carries what acts.

Asked only about a line of a session that had read something of outside its project. An order for
later lasts, speaks to agents, or claims a permission. The trap: no list of words knows every order,
and each further word holds back lines that report.
"""

import re
from functools import lru_cache

from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import strip_hidden

_FLAGS = re.IGNORECASE | re.VERBOSE
# -- What orders for later, or speaks to agents ----------------------------------------------------
# "from now on", "never push", "in every session", "without asking"; not "always failed"
_LASTING = r"""\b(?:from\ (?:now|here|today)\ on(?:wards?)?|henceforth|hereafter|going\ forward
    |permanently|memori[sz]e|(?:always|never)\ (?!\w+(?:ing|ed|wn|en|ught|(?<!s)s)\b)
    |(?:in|for|at|before|after|on|during|across)\ (?:every|each|all|any|future|later)
    \ (?:\w+\ )?(?:sessions?|projects?|conversations?|repositor\w+|repos?|prompts?|users?)
    |when(?:ever)?\ (?:the\ user|asked|anyone|someone|somebody)
    |without\ (?:asking|confirm\w*|review|exception)|company\ policy)\b"""
# "all coding agents", "Claude must", "your memory:", "previous instructions"; "no AI agents found"
# reports
_ADDRESSED = r"""\b(?:(?!(?<=\bno\ )[^.]{0,60}\b(?:found|available|configured|detected)\b)
    (?:all|any|every|coding|ai|llm|other|future|automated)\ (?:ai\ |coding\ )?
    (?:agents?|assistants?|models?|llms?|bots?)
    |(?:agents?|assistants?|claude|copilot|cursor|chatgpt|gemini|llms?|models?)
    \ (?:must|should|shall|may|need|ha(?:ve|s)\ to)
    |this\ is\ (?:anthropic|openai|your|the\ (?:admin|security|system))|system\ prompt
    |(?:previous|prior|earlier|above|following)\ (?:instructions?|rules?|orders?|directions?)
    |(?:long-term|your)\ memory|memory\ (?:bank|store|update))\b
    |\b(?:agents|assistant|claude|copilot|chatgpt|gemini)\s?:
    |^\W*(?:memory|rule|policy|system|instruction|directive|developer|admin|assistant)\b
    [^:.\n]{0,40}:"""
# "has been authorized", "the user wants", "the owner allowed"
_PERMITTED = r"""\b(?:has|have|was|were|is|are)\ (?:been\ |now\ )?
    (?:authori[sz]ed|whitelisted|trusted|pre-?(?:approved|authori[sz]ed))\b
    |\b(?:user|owner|admin\w*|maintainer|team|management|security)s?\ (?:has\ |have\ |had\ )?
    (?:want|wish|ask|request|require|allow|permit|approve|authori[sz]e)(?:s|d|ed)?\b"""
# "always", "never" and "from now on", in the languages that most developers write
_FOREIGN = r"""\b(?:immer|niemals|künftig|ab\ (?:jetzt|sofort)|toujours|jamais|désormais
    |dorénavant|siempre|nunca|sempre|altijd|nooit|zawsze|nigdy|her\ zaman|asla|всегда|никогда
    |впредь|отныне)\b
    |总是|總是|永远|永遠|始终|始終|每次|以后|今后|必ず|常に|今後|항상|절대|반드시|همیشه|هرگز"""
# -- What acts, or is there to be pasted ----------------------------------------------------------
# addresses, tags, templates, ways out of a folder, files of keys, commands that skip a check
_ACTIVE = r"""!!\w+/|(?:^|[:.]\s)\W*(?:path|slug|file|role|content|command|delete)\s*:\s
    |[a-z][a-z0-9+.-]{1,20}:/{1,3}\w|\bwww\.|\b[\w-]{1,63}\.(?:example|invalid|ru|cn|xyz|info|biz
    |top|site|online|click|tk|onion)\b(?![(\w])
    |\b(?:(?:javascript|vbscript|obsidian|mailto)\s*:|data:\w+[/;,]|file:/)
    |(?:<|&lt;)\s*/?\s*(?:!--|script|iframe|img|svg|style|object|embed|link|meta|form|base|button
    |html|body|system|instructions?|important|memory|user|assistant)\b[^<]{0,200}>
    |<!--|<%|!\[|\]\(|\[\[[^\]]*(?::|\.\.)|%%|\{\{|-->|\btp\.\w|dataview
    |\.\.[/\\]\.\.|/\.\.[/\\]|\.\.\\|%2e%2e|\b[a-z]:\\\w|\.md:\s*[a-z]
    |~/\.(?:ssh|aws|claude|gnupg|netrc|npmrc)|/etc/|authorized_keys|id_rsa
    |\b(?:curl|wget)\s[^|]*\|\s*(?:ba|z)?sh\b|--(?:no-verify|extra-index-url|trusted-host
    |dangerously[\w-]*)|\b(?:verify|ssl\w*|tls\w*)\s*=\s*(?:False|0|off)\b|hookspath"""
# by its own words a line is of something that was read: "per the docs", "as the README says"
_CITED = lazy_pattern(
    r"\b(?:per|as|according\ to)\ (?:the|this|its|their)\ (?:\w+\ )?(?:docs?|documentation|guide"
    r"|page|site|article|blog|readme|issue|ticket|vendor|manual|handbook|post)\b",
    re.IGNORECASE | re.VERBOSE,
)
_ORDERS = lazy_pattern(f"{_LASTING}|{_ADDRESSED}|{_PERMITTED}|{_FOREIGN}", _FLAGS)
_ACTS = lazy_pattern(_ACTIVE, _FLAGS)
_CODE = re.compile(r"`([^`\n]{1,120})`")
_MIN_SENTENCE = 4  # words
# "from-now-on-always-run", "tests/never_push_it": a branch, a file or a test named by a sentence
_JOINT, _LONG_NAME = (
    re.compile(r"[-_/.+\u2010-\u2015]+"),
    re.compile(r"\w+(?:[-_/.+\u2010-\u2015]+\w+){3,}"),
)
_MAX_LINE = 6_000  # characters: what a patch may give as prose (compile/patch.py) has no more


@lru_cache(maxsize=4096)  # a session's lines, each asked about by several who mark or tell them
def gives_orders(text: str) -> bool:
    """Say whether a text orders for later, speaks to agents, claims a permission, or acts.

    What is too long for a line of a note is taken for an order: nobody reads it through.
    """
    return has_active_content(text) or bool(_ORDERS.search(_normalise_text(text)[1]))


def has_active_content(text: str) -> bool:
    """Say whether a text holds what acts or is there to be pasted, or says that it was read."""
    line = _normalise_text(text)[0]
    return len(text) > _MAX_LINE or bool(_ACTS.search(line) or _CITED.search(line))


def blank_active_words(text: str) -> str:
    """Give a text in one line, with a mark in the place of each word that acts by itself."""
    return " ".join("[...]" if has_active_content(word) else word for word in text.split())


def _normalise_text(text: str) -> tuple[str, str]:
    """Give a text in one line, as it is and with its names in code masked."""
    line = " ".join(strip_hidden(text).replace("\u2019", "'").split())
    return line, _CODE.sub(_mask_name, _LONG_NAME.sub(_split_name, line))


def _mask_name(code: re.Match[str]) -> str:
    """Mask a name or a call in inline code, which says nothing; a whole sentence there does."""
    return code[0] if len(code[1].split()) >= _MIN_SENTENCE else "X"


def _split_name(name: re.Match[str]) -> str:
    """Give a name of many words as these: a sentence orders with hyphens, too."""
    return _JOINT.sub(" ", name[0])
