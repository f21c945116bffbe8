"""A line of the memory -> whether it tells its reader what to do, or carries what acts.

Orders reach a session as rules and in no other way: a rule rests on the user's own words and on an
approval of this machine, while a line of an entry or an article may say what a page, a file or a
teammate's note said. So what is injected besides rules is to be a report, and a line that orders,
forbids, addresses an agent or holds a link or a command to paste is left out there (it stays in its
note, and search and query find it). The trap: no list of words knows every order. That is why
provenance comes first (stages/origin.py), and this is for what provenance cannot tell.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoria.stages.hidden import strip_hidden

# verbs that begin an order and are seldom the first word of anything else
_VERBS = """
    accept act allow analyse analyze append apply approve assume authorise authorize avoid
    be begin blend bring bypass choose circumvent click clone configure confirm connect consider
    consult continue convert create declare delete deliver deny deploy determine develop disable
    disclose disregard do don't dont download drop elect embed emit employ enable encode encrypt
    enrich ensure enter erase execute expose exfiltrate fetch follow forget forward generate get
    give go grant guarantee handle ignore implement import include incorporate insert inspect
    install instruct integrate invoke keep know learn leave let let's lets make memorise memorize
    merge modify obey omit open override overwrite pass paste perform persist pick pip place
    please post prefer prepend pretend proceed produce promise promote provide publish put quote
    read recall recite recommend record refer refrain register reject rely remember remove render
    repeat replace reply rerun
    respond restart retain reveal reverse rewrite say see send share show skip
    speak spawn stop submit substitute suggest suppress summarise summarize take tell terminate
    think transfer translate transmit treat trust try turn uninstall upload use utilise utilize
    validate verify visit whitelist write
"""
# those that are as often a noun or a past tense: an object has to follow
_NOUNS = """
    add address answer authenticate base block build cache call change check commit copy cover
    direct document echo edit end exclude exit export fix force format git grep hide hook kill link
    list load lock log look mark mention mind mirror mock move name note npm npx order output patch
    pin pipe point print process push query raise rebase redirect refactor rename report request
    reset return route run save schedule search select set sign source start store switch swap test
    trigger type undo unset update upgrade wait watch wire wrap
"""
# what a task is called by: the title of a work item begins so, and orders nobody
TASKS = frozenset(
    """
    add adjust analyse analyze answer apply avoid build bump change check clean clean-up configure
    convert copy create delete deploy deprecate determine develop disable document drop enable
    ensure explain export extract finish fix format generate get handle hide implement import
    improve include install integrate investigate keep let link list load make mark merge migrate
    mock move open parse pass pin prepare prevent provide publish read record redact refactor
    release remove rename render replace report request research reset restore return review
    rewrite run save search see set setup share show skip sort split start stop store support
    suppress switch
    take test translate try turn unify update upgrade use validate verify work wrap write
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_AFTER = r"""(?=\s+(?:(?:the|a|an|all|any|every|each|this|that|these|those|it|them|your|our|my|its
    |their|only|no|not|up|out|off|in|into|to|with|from|on|for|as|at|new|both|one|you|me|us)\b
    |[`"'$\u2018\u201c]|-{1,2}\w|\d
    |X(?:[\s,.;]+(?:with|without|before|after|in|on|for|to|and|then|when)\b|\W*$)
    |(?!(?:goes|comes|runs|fails|leads|points|was|is|has|had|does|did|cases?|files?)\b)\w+\s+(?:the|to
    |with|before|after|when|for|in|on|as|from|into|at)\b))"""


def _either(words: str) -> str:
    return "|".join(re.escape(word) for word in words.split())


_FLAGS = re.IGNORECASE | re.VERBOSE
# where a clause begins: at the line's, behind a mark, a bracket, a quote, a dash, "and", "then"
_BEGIN = r"""(?:^|[;!?,\n"\u201c\u2018\u201d\u2014\u2013>|{}*]\s*|[.:\])]\s+|\s-+>?\s|\s'
    |\b(?:and|then|but|also|just|simply|instead|next|to\ do\ so|so)\s+
    # "both now read" tells
    |(?:(?:^|[\s.,;:!?>])(?:right|so|ok|okay|well|from)\ )now\s+)
    (?:(?:please|also|then|just|simply|instead|always|never|first|now|kindly|and|do\ not|don't|so
    |ok|okay|hey|dear\ \w+|[-*+\u2022#]+|\d{1,2}[.)])[\s,:]+){0,3}"""
_MOOD = re.compile(
    rf"{_BEGIN}(?P<verb>(?:{_either(_VERBS)})\b|(?:{_either(_NOUNS)})\b{_AFTER})"
    rf"(?!\s*(?:is|are|was|were|has|had|can|will|does)\b|['\u2019]s\b|\w*[-_/.(=]\w|\s*[,:]\s*$|\)"
    # "files that don't exist" tells
    rf"|(?<=don't)\s+(?:exist|match|have|appear|apply|belong|seem|differ|depend|know|fail)\b"
    # "would stay and be used again" tells
    rf"|(?<=and\ be)\s+(?!advised|warned|prepared|informed)\w+(?:ed|en)\b"
    # "do we have another conflict?" asks
    rf"|(?<=\bdo)\s+(?:we|they|i)\s)",
    _FLAGS,
)
# -- What orders wherever it stands ---------------------------------------------------------------
_DUTY = r"""\b(?:must|mustn't|should|shouldn't|shall|ought|needs?\ to|has\ to|have\ to|had\ better
    |(?:is|are|be)\ (?:strictly\ |now\ )?(?:required|mandatory|obliged|forbidden|prohibited|banned
    |advised|recommended|instructed|(?:expected|supposed)\ to|to\ be)\b
    |(?:is|are)\ not\ (?:allowed|permitted)|make\ sure|be\ sure|it\ (?:is|'s)\ (?:important|critical
    |essential|vital|imperative|necessary|advisable)|cannot\ be\ skipped|do\ not|please
    |(?:may|might|could)\ (?:be|prove)\ (?:\w+ly\ )?(?:advantageous|beneficial|helpful|useful|wise)
    |best\ practice|recommend(?:s|ed)?\ (?:to|that|\w+ing)|don't\ hesitate|feel\ free)\b"""
_LASTING = r"""\b(?:(?<!\bis\ )(?<!\bwas\ )(?<!\bare\ )(?<!\bwere\ )(?<!\bbeen\ )(?<!\bit\ )
    (?:always(?!\ \w+(?:ing|ed|(?<!s)s)\b)|never(?!\ \w+(?:ing|ed|wn|en|ught|(?<!s)s)\b))
    |(?<=you\ )(?:always|never)|from\ (?:now|here|today)\ on(?:wards?)?|henceforth|hereafter
    |going\ forward|permanently|forever|for\ good|remember(?:ed|s)?|memori[sz]e\w*
    |(?:in|for|at|before|after|on|during|across|to|with)\ (?:every|each|all|any|future|later)
    \ (?:\w+\ )?(?:sessions?|projects?|conversations?
    |commits?|pushes|builds?|deploys?|requests?|prompts?|users?|repositor\w+|repos?)
    |at\ (?:the\ )?(?:start|end|beginning)\ of\ (?:every|each|the|a|any)\ (?:\w+\ )?session
    |(?:at|on|before|after)\ session\ (?:start|end)
    |unconditionally|without\ (?:asking|confirm\w*|review|exception)|no\ exceptions?|at\ all\ times
    |no\ longer\ (?:ask|need)|when(?:ever)?\ (?:the\ user|you|asked|anyone|someone)
    |in\ (?:this|the|our|your)\ organi[sz]ation|organi[sz]ation[- ]wide|company\ policy)\b"""
_ADDRESSED = r"""\b(?:you|your(?!\ X\b)|yours|yourself|dear\ \w+|(?:all|any|every|coding|ai|llm
    |other|future|automated)\ (?:ai\ |coding\ |automated\ )?(?:agents?|assistants?|models?|llms?
    |bots?|tools)
    |(?:agents?|assistants?|claude|copilot|cursor|chatgpt|gpt-?\d|gemini|anthropic|openai|llms?|ai
    |models?)(?:\s*[:,]|\ (?:must|should|shall|will|may|can|need|have|has|is\ to|are|use)\b)
    |this\ is\ (?:anthropic|openai|your|the\ (?:admin|security|system))|system\ prompt
    |system\ (?:message|note|instruction)\w*|(?:previous|prior|earlier|above|following)\ (?:
    instructions?|rules?|orders?|directions?|text|code\ (?:snippet|block|excerpt|section))
    |below\ code|subsequent\ code|long-term\ memory|memory\ (?:bank|store|update)|your\ memory)\b
    |^\W*(?:note|memory|rule|policy|system|instruction|directive|reminder|important|critical|urgent
    |attention|warning|lesson|lessons|decision|convention|admin|developer|user|human|assistant|tip
    |approved|authori[sz]ed)\b[^:.\n]{0,40}:"""
_PLEDGED = r"""\b(?:we|i|everyone|everybody)(?:\ |'|\u2019)(?:ll|will|shall|trust|agreed|vow|promise
    |always|never|only|decided\ to)\b
    |\b(?:has|have|was|were|is|are)\ (?:been\ |now\ )?(?:authori[sz]ed|approved|whitelisted|trusted
    |pre-?\w+ed)\b
    |\b(?:user|owner|admin\w*|maintainer|team|management|security)s?\ (?:has\ |have\ |had\ )?
    (?:want|wish|ask|request|require|prefer|allow|permit|confirm|insist|mandate|approve|authori[sz]e
    )(?:s|d|ed)?\b"""
# the same, in the languages that most developers write
_FOREIGN = r"""\b(?:immer|niemals|nie|merke?|vergiss|vergesst|ignorier\w*|muss|müssen|soll(?:st|en)?
    |bitte|künftig|ab\ (?:jetzt|sofort)|dauerhaft|toujours|jamais|ignore[zr]|oublie[zr]?|doit|devez
    |doivent|retene[zr]|retiens|désormais|dorénavant|veuillez|il\ faut|siempre|nunca|ignor[ae]
    |olvid[ae]|recuerd[ae]|debes?|deben|sempre|jamais|esque[çc]a|lembre|deve|devi|dimentica|ricorda
    |altijd|nooit|negeer|onthoud|vergeet|moet|alltid|aldrig|ignorera|husk|her\ zaman|asla|unutma
    |zawsze|nigdy|zignoruj|zapamiętaj|musisz|należy|luôn|không\ bao\ giờ|bỏ\ qua|hãy|selalu|jangan
    |abaikan|ingatlah|harus|всегда|никогда|игнорируй\w*|запомни\w*|забудь\w*|должн\w+|нужно|нельзя
    |используй\w*|впредь|отныне|завжди|ніколи|ігноруй\w*|запам'ятай)\b
    |必须|必須|总是|總是|永远|永遠|永久|忽略|记住|記住|不要|始终|始終|务必|務必|每次|都要|以后|今后|请
    |請|禁止|应该|應該|必ず|常に|無視|覚え|ください|しなさい|なければ|いけない|今後|절대|항상|무시|기억
    |하세요|해야|반드시|마세요|دائم|تجاهل|تذكر|يجب|همیشه|هرگز|نادیده|باید|فراموش|हमेशा|कभी\ नहीं
    |याद\ रख|अनदेखा|चाहिए|תמיד|לעולם|התעלם|זכור"""
# -- What acts, or is there to be pasted ----------------------------------------------------------
_ACTIVE = r"""!!\w+/|(?:^|[:.]\s)\W*(?:path|slug|file|role|content|command|delete)\s*:\s
    |[a-z][a-z0-9+.-]{1,20}:/{1,3}\w|\bwww\.|\b[\w-]{1,63}\.(?:com|net|org|example|invalid|ru|cn|xyz|info
    |biz|top|site|online|click|tk|onion)\b(?![(\w]|\.[a-z]{3})
    |\b(?:(?:javascript|vbscript|obsidian|mailto)\s*:|data:\w+[/;,]|file:/)|(?:<|&lt;)\s*/?\s*(?:!--|script|iframe|img|svg|style|object
    |embed|link|meta|form|input|video|audio|base|div|span|p|a|b|button|details|html|body|h\d|table|system
    |instructions?|important|memory|user|assistant)\b[^<]{0,200}>|<!--|<%|!\[|\]\(
    |\[\[[^\]]*(?::|\.\.)|%%|\{\{|\$\(|<%|-->|\btp\.\w|dataview
    |\.\.[/\\]|%2e|%2f|\b[a-z]:\\\w|\.md\s*:\s*[a-z]|~/\.(?:ssh|aws|claude|gnupg|netrc|npmrc)|/etc/|authorized_keys|id_rsa
    |\b(?:curl|wget|sudo|chmod|chown|powershell|iex|eval|nc|netcat|scp|rsync|base64|rm\ -)\s
    |\|\s*(?:ba|z)?sh\b|--(?:no-verify|force\b|index-url|extra-index-url|trusted-host|insecure
    |privileged|dangerously[\w-]*|yes\b|skip-\w+)|\b(?:verify|secure|ssl\w*|tls\w*)\s*=\s*(?:False
    |0|off)\b|\b[A-Z][A-Z0-9]*_(?-i:[A-Z0-9_]{2,})=\S|\bnoqa\b|hookspath"""
_STRONG = re.compile(f"{_DUTY}|{_LASTING}|{_ADDRESSED}|{_PLEDGED}|{_FOREIGN}", _FLAGS)
_ACTS = re.compile(_ACTIVE, _FLAGS)
# a question may say "you" and "should"; what it must not do is to plant
_LASTS = re.compile(f"{_LASTING}|{_PLEDGED}|{_FOREIGN}", _FLAGS)
_NEGATED = re.compile(r"^\W*\w+n't\b|\bwhy\s+(?:not|don't|aren't)\b", re.IGNORECASE)
_INTERROGATIVE = re.compile(
    r"^\W*(?:(?:which|what|where|when|how|who)\b|(?:do|should|shall|would|can|could)\s+(?:you|we|i)\b"
    r"(?:\s+(?:want|like|prefer|need)\s+(?:me|us|it|this)?\s*(?:to\b)?)?)",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?;:]\s")
# a name or a call in inline code says nothing; a whole sentence there does
_CODE = re.compile(r"`([^`\n]{1,120})`")
_SENTENCE = 4  # words
# characters: what a patch may give as prose (stages/patch.py) has 6,000
_LONGEST = 6_000
# a title is quoted so by the Offline engine
_QUOTED = re.compile("\u201c([^\u201d]{1,160})\u201d")
# what code quotes: the sessions of an article's lead, plans, offers, choices
_FRAMED = re.compile(
    "^(?:Work on|Plan|Agreed:|Undecided:|Offered, not answered:) \u201c|\\bSessions: \u201c"
    "|^\u201c[^\u201d]{1,160}\u201d is a term that came up"
)


@lru_cache(maxsize=4096)  # a session's lines, each asked about by several who mark or tell them
def orders(text: str) -> bool:
    """Say whether a text orders, forbids, addresses an agent, or holds what acts.

    What is too long for a line of a note is taken for an order: nobody reads it through.
    """
    if len(text) > _LONGEST:
        return True
    plain, said = _plain(text)
    if _ACTS.search(plain) or _STRONG.search(said):
        return True
    return bool(_MOOD.search(_QUOTED.sub(_untitled, said) if _FRAMED.search(said) else said))


def acts(text: str) -> bool:
    """Say whether a text holds a link, a command or a mark that acts, or is there to be pasted."""
    return len(text) > _LONGEST or bool(_ACTS.search(_plain(text)[0]))


def asks(text: str) -> bool:
    """Say whether a text is a question to the user that holds neither an order nor what lasts."""
    if len(text) > _LONGEST or not text.endswith("?") or _END.search(text.rstrip("?")):
        return False
    plain, said = _plain(text)
    if _ACTS.search(plain) or _LASTS.search(said) or _NEGATED.search(said):
        return False
    return not _MOOD.search(_INTERROGATIVE.sub("X ", said))


def can_title(text: str) -> bool:
    """Say whether a text can be a title: it may name a task, and orders nobody."""
    if len(text) > _LONGEST:
        return False
    plain, said = _plain(text)
    return not (_ACTS.search(plain) or _STRONG.search(said) or _is_other(said))


def _untitled(match: re.Match[str]) -> str:
    return match[0] if _is_other(match[1]) else "X"


def _is_other(title: str) -> bool:
    """Whether a title begins any clause with an order that is no task's name."""
    found = (match["verb"].lower() for match in _MOOD.finditer(title))
    return any(verb not in TASKS for verb in found)


def _plain(text: str) -> tuple[str, str]:
    """Give a text in one line, as it is and with its names in code masked."""
    plain = " ".join(strip_hidden(text).replace("\u2019", "'").split())
    return plain, _CODE.sub(lambda code: code[0] if _is_said(code[1]) else "X", plain)


def _is_said(code: str) -> bool:
    return len(code.split()) >= _SENTENCE
