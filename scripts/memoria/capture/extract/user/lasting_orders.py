"""Tell a plain lasting order of the user's to the agent, which comes in force by itself.

The fitted weights know how often a sign goes with a rule in turns that are long and half of which
try to mislead; they doubt plain words. So what a person reads as an order that lasts has a form: a
sign that it lasts (always, never, from now on, in this repository ...) bound to an order (a verb in
the imperative, "you will", "I want you to", "we never"), and nothing in its surroundings that makes
it somebody else's words, a specification, a text to be written, or an order for a while. Each
obstacle was found in a turn that misled; bench/rules/fit.py prints what the form is worth.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from memoria.capture.extract.user.clause_features import mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.capture.extract.user.clauses import Clause

# -- The form -------------------------------------------------------------------------------------

_SINCE = r"""(?:from\ (?:now|here|today|this\ (?:point|moment))(?:\ on(?:ward)?s?(?:\ in)?)?
    |as\ of\ (?:now|today)|(?:going|moving)\ forward|henceforth|in\ (?:the\ )?future|for\ the\ future
    |for\ (?:any|all|every)\ future\ \w+|next\ times?\ too|for\ good|permanently|for\ ever|forever
    |(?:as\ an?|new|standing|general|house)\ (?:\w+\ )?(?:rule|principle|habit|instruction)
    |in\ general|generally|as\ a\ matter\ of\ principle|today\ and\ later|not\ now\ not\ later
    |in\ (?:all|every)\ (?:my\ |our\ |future\ )?(?:sessions?|projects?|repos?|chats?)
    |in\ any\ of\ my\ \w+|for\ all\ (?:my\ |our\ )?(?:sessions|projects|repos)
    |ab\ (?:jetzt|sofort|heute)|künftig|in\ zukunft|grundsätzlich|désormais|dorénavant
    |à\ partir\ de\ maintenant|à\ l'avenir|a\ partir\ de\ (?:ahora|agora)|de\ ahora\ en\ adelante
    |en\ adelante|daqui\ (?:pra|para|em)\ (?:a\ )?(?:frente|diante)|d'ora\ in\ (?:poi|avanti)
    |впредь|отныне|на\ будущее)"""
_CLAIM = r"""(?:always|never(?:\ ever)?(?:\ again)?|immer|stets|nie(?:mals)?|toujours|jamais|siempre
    |nunca|sempre|mai|всегда|никогда)"""
_EACH = r"(?:every(?:\ single)?|each|any)\ time|whenever"
_PLACE = r"""(?:in|for|across|throughout)\ (?:(?:this|our|the\ (?:whole|entire))\ (?:repo(?:sitory)?
    |project|code\s?base|package|monorepo|workspace)|here)\b"""
# verbs of work that developers order; the base form of others is not told from a noun
_VERBS = r"""(?:add|annotate|answer|append|apply|ask|assume|avoid|batch|begin|break|build|bump|call
    |cancel|cast|catch|change|check|cite|clean|close|commit|compile|compress|confirm|convert|copy
    |create|cut|debug|declare|default|define|delete|deploy|describe|disable|discard|document|drop
    |dump|edit|emit|enable|end|ensure|escape|explain|export|expose|fetch|file|fix|flag|follow|force
    |format|generate|get|give|go|group|guess|handle|hard-?code|ignore|import|include|indent|index
    |initiali[sz]e|inline|insert|install|introduce|invent|keep|label|launch|leave|let|limit|link
    |lint|list|load|lock|log|look|lower|make|mark|measure|mention|merge|migrate|mix|mock|modify
    |move|name|nest|normali[sz]e|note|open|order|override|pass|patch|pin|point|post|prefer|prefix
    |preserve|print|propose|publish|pull|push|put|query|quote|raise|re-?run|read|rebase|rebuild
    |refactor|reformat|regenerate|release|rely|remove|rename|repeat|replace|reply|report|request
    |reset|respond|restart|restore|retry|return|reuse|revert|review|rewrite|round|run|save|say|seed
    |send|set|ship|shorten|show|sign|skip|sort|speak|split|squash|start|stay|stick|stop|store|strip
    |submit|suppress|switch|tag|take|talk|tell|test|throw|time|touch|translate|treat|trust|try|turn
    |type|update|upgrade|upload|use|validate|verify|wait|warn|work|wrap|write)"""
_FILLERS = r"""(?:(?:ok|okay|oh|so|and|but|also|please|pls|plz|hi|hey|hello|yes|no|yeah|yep|nope|well
    |btw|by\ the\ way|then|again|just|listen|remember|note|important|claude|sorry|stop|wait|right
    |one|two|three|first|second|third|thing|general|\d[.)]|one\ more
    |(?:i|we)\ (?:already\ )?(?:told|asked)\ you(?:\ to)?|as\ i\ said|i\ said|bitte|por\ favor|y|et
    |und|e|в|the\ rule\ is)\b[\s,.:!;\u2013\u2014-]*)*"""
# a word behind "always" or "never" that is no verb in the imperative
_NOT_VERB = r"""(?!(?:mind|had|been|an?|the|in|on|of|for|to|at|more|got|was|were|is|are|be|saw|did|ran
    |went|knew|made|took|came|thought|said|seen|the|same|something|some|all|every|two|as|my|your|his
    |on|worked|really|quite|liked?|have|has|get|gets|happens?|fails?|breaks?|there|when|if|by|with
    |during|again|ever|before|after|\w+ing|\w{2,}(?<!ne)(?<!fe)(?<!se)(?<!emb)(?<!spe)ed|\w+(?<!s)s)\b
    (?!\S))"""
_ASK = r"(?:please|pls|plz|kindly|do)?\ ?"
_TO_AGENT = rf"""(?:{_ASK}{_VERBS}\b|{_ASK}(?:don'?t|do\ not|never|always|avoid|stop|no\ more)\ \w
    |(?:can|could)\ you\ (?:please\ )?{_VERBS}\b
    |you\ (?:will\ |shall\ |must\ |should\ |can\ |have\ to\ |are\ to\ |do\ not\ |don't\ |always\s
    |never\ )*{_VERBS}\b|i(?:'d|\ would)?\ (?:want|like|expect|need|prefer|never\ want|do\ not\ want
    |don't\ want)\b|we\ (?:do\ not|don't|never|always|only|use|pin|write|keep)\b|no\ \w|leave\b
    |(?:all|every|each)\ (?:of\ )?our\b)"""
_OURS = _PLACE.replace(r"\b", "") + r"(?=\W*$|,)"
_LASTS = rf"""(?:(?:{_SINCE})\b|(?:always|ever)\W*(?:$|,)|(?:{_EACH})\ (?:you|we|i)\b|{_OURS}
    |without\ (?:asking\ me|me\ asking)\b|no\ exceptions?\b)"""
_FORMS: dict[str, str] = {
    # "always run", "never ever touch", "from now on, please use", "every time you ..., run"
    "claims": rf"""^{_FILLERS}(?:you\ (?:will\ |must\ |should\ )?)?{_CLAIM},?\ {_ASK}(?:{_VERBS}\b|{_NOT_VERB}[a-z-]+\b
        (?=.*\b(?:you|me|my|i)\b))""",
    "since": rf"^{_FILLERS}{_SINCE}\b[\s,:]+{_TO_AGENT}",
    "each": rf"""^{_FILLERS}(?:(?:{_EACH})|when|before|after)\ you\b[^,]{{3,90}},?\ (?:please\ )?
        (?:always|never|don't)\ |^{_FILLERS}(?:{_EACH})\ you\b.{{3,90}}\b{_VERBS}\b""",
    "placed": rf"^{_FILLERS}{_PLACE},?\ {_TO_AGENT}",
    # "we never ...", "I never want ...", "you will always ..."
    "we": rf"^{_FILLERS}(?:in\ (?:this|our)\ \w+\ )?we\ (?:always|never)\ {_NOT_VERB}[a-z-]+\b",
    "wants": rf"""^{_FILLERS}i(?:'d|\ would)?\ (?:(?:never|always|really)\ )*(?:want|like|need|expect)
        \ (?:you\ to\ (?:always|never)\b|(?!(?:the|an?|it|users?|them)\b).*\b(?:{_SINCE}|{_CLAIM}
        |whenever\ you)\b)|^{_FILLERS}i\ never\ want\b
        |\balways\ needs?\ my\ (?:ok|approval|yes)\b""",
    "you": rf"""^{_FILLERS}(?:(?:when|if|before|after|while)\b.{{3,80}}[ ,])?you\ (?:(?:will|must|shall
        |should|are\ to)\ )?(?:always|never)\ (?:{_VERBS}|do|ever)\b""",
    # "use ..., always", "commit after each step from now on", "no ... in this project"
    "trailing": rf"""^{_FILLERS}(?:{_VERBS}|don'?t|do\ not|i\ don'?t\ want|you\ {_VERBS})\b.{{4,160}}?[\s,(]{_LASTS}
        |^{_FILLERS}(?:no|no\ more|not)\ .{{4,160}}?[\s,(](?:{_SINCE}|{_OURS})\b""",
    "always": r"^\w.{8,},\ always\W*$",
    "remembered": rf"""^{_FILLERS}(?:remember|keep\ in\ mind|note)\ (?:for\ good\ )?(?:that\ |:\ )
        (?:we|you|i)\ (?:always|never|only|use|don't|do\ not|want|prefer|keep|write)\b""",
}
# languages whose orders have no verb of the list: a sign that it lasts, in a clause of some length
_OTHERS = r"""^(?:以后|今后|今後|从现在)|(?:以后|今后).{2,}(?:都要|必须|不要|用)|今後(?:は|も).{3,}ください
    |^(?:ab\ jetzt|ab\ sofort|künftig|dorénavant|désormais|d'ora\ in\ poi|daqui\ pra\ frente
    |a\ partir\ de\ (?:ahora|agora)|впредь|отныне)\b.{8,}
    |از\ این\ پس\ همیشه"""
_SHORT_MESSAGE = 3  # clauses: in a longer one these words tell of a product as often
_OTHER_CLAIMS = r"""^(?:y\ |et\ |und\ |e\ )?(?:toujours|siempre|nunca|sempre|mai|immer|nie|всегда|никогда)
    \ (?:\w+r|\w+s|не|\w+й|\w+e[ns]?)\b.{8,}"""
# what says behind it that it holds on: in the same clause, or as the next one
_HOLD = r"""(?:that|this|it|which|those\ two|that's)(?:\ one)?(?:\ is|'s)?\ (?:goes?|holds?|counts?|valid|meant
    |for|from\ now|applies|standing)\ (?:for|in|to|good|on|any|all|every)|stay\ with\ (?:this|it)
    |make\ that\ (?:your|a)\ (?:standard|habit)|in\ (?:all|every|any)\ (?:of\ )?(?:my\ |our\ )?(?:projects?
    |sessions?|repos?|chats?)|hoy\ y\ siempre|same\ for\ every|not\ (?:only|just)\ (?:here|today|this)"""
_HOLDS = rf"(?:^|[,;]\ (?:and\ )?|\bplease\ |\band\ )(?:{_HOLD})\b"
_HOLDS_ON = rf"""^(?:and\ |so\ |please\ )*(?:{_HOLD})\b|^(?:ever|always|every\.?\ time|any\ \w+)\W*$
    |^that\ will\ not\ change\b"""
# what is to be said to somebody
_SAID = rf"^{_FILLERS}(?:say|tell|mention|announce|explain)\ (?:that|the|them|him|her)\b"

# -- What speaks against it -----------------------------------------------------------------------

_WHILE = r"""\b(?:until|till|while\ i\b|meanwhile|today|tonight|tomorrow|this\ (?:week|session|branch|time
    |pr|ticket|sprint|morning|afternoon|release|demo|round|conversation|chat|query|plot)|for\ now|later\ anyway
    |right\ now|for\ the\ (?:moment|next)|just\ (?:for|this)|as\ long\ as|in\ the\ meantime|freeze
    |these\ \w+\ (?:runs|tickets|commits)|during\ (?:the|this)|next\ (?:commit|ticket|step|time\ it)
    |back\ to\ normal|temporar\w+|bis|vorerst|heute|diesmal|jusqu|aujourd'hui|hasta|por\ ahora|hoy
    |por\ enquanto|hoje|fino\ a|oggi|intanto|сегодня|пока)\b"""
_SAYS_HOW_LONG = r"^(?:and\ |but\ )?(?:just|only|it|that|this|then|next|after\w*|domani|morgen|ab)\b"
_BOTH = r"""today\ and\ later|hoy\ y\ siempre|not\ (?:just\ |only\ )?(?:today|this|here)|now\ and\ later
    |unless|not\ now\ not|as\ well\ as\ later"""
# others' words are handed on: from there to the end of the message
_HANDED = r"""(?:says?|said|writes?|wrote|states?|review|feedback|log|output|issue|ticket|thread|slack
    |e?-?mail|letter|datasheet|manual\w*|docs?|documentation|wiki|article|reddit|blog|readme|claude\.md
    |agents(?:\.md)?|guidelines?|handbook|contractor|vendor|customer|client|found\ this|copied|pasted
    |this\ text|postmortem|checklist|protocol|prompts?|version\ \w|a\ skill|contributing|ai-\d+|spec\w*|plan\ for
    |next\ steps|todo|requirements?|imagine|rules\ file|desc|title|which\ of\ these|documentazione|manuale
    |schreibt|dice|dit|пишет)\b"""
_OF_MINE = r"\b(?:my|our|how\ (?:i|we)|ground|house|conventions?|standing|future\ sessions|for\ you)\b"
_OF_THESE = r"\b(?:which\ of\ (?:these|those|them)|below|following|this\ text|we\ got)\b"
_TICKET = r"^(?-i:[A-Z]{2,}-\d+\b)"
_BUILT = r"""\b(?:implement|build|create|design|write|draft|spec|prototype|make)\b.{0,40}\b(?:a|an|the|me|our
    |this|it|like|that|test|autosave)\b|\b(?:the|a)\ (?:bot|app|widget|exporter|parser|agent|player|user|users
    |screen|dialog|landing\ page|limiter|robot|enemy|customers?)\b|\b(?:spec|requirements?|protocol)\b
    |\blet's\ define\b|\bshould\ (?:contain|show)\b|需求|用户|会员|仕様|ユーザ"""
# of what was said before, or of one thing: no rule that can be read by itself
_POINTS = r"""\b(?:like\ (?:this|that)|do\ (?:it|that|so)|(?:it|that)\ that\ way|with\ (?:that|this)|send\ it)\b
    |そうして|\bth(?:is|ese|at)\ (?:dialog|button|page|test|file|function|window|plot|query|field
    |table|one|list|menu|row)s?\b"""
_BANNER = 3  # words in capitals: a comment that was pasted
_NOT_OURS = r"\b(?:tell|warn|remind|announce|mail|answer|reply\ to|write\ to)\ (?:the|them|him|her|our|all)\b"


def is_lasting_order(parts: Sequence[Clause], place: int) -> bool:
    """Whether the clause is a plain lasting order, and its surroundings leave it one."""
    clause = parts[place]
    text, after = mask(clause.text), mask(clause.after)
    short = len(parts) <= _SHORT_MESSAGE
    return _form(text, mask(clause.lead), after, short=short) and not obstacle(parts, place)


def _form(text: str, lead: str, after: str, *, short: bool) -> bool:
    if _finds(_SAID, text):
        return False
    if any(_finds(form, text) for form in _FORMS.values()) or _finds(_OTHERS, text):
        return True
    if short and _finds(_OTHER_CLAIMS, text):
        return True
    if not _finds(rf"^{_FILLERS}{_TO_AGENT}", text):
        return False
    return any(_finds(*one) for one in ((rf"\b{_SINCE}\b", lead), (_HOLDS, text), (_HOLDS_ON, after)))


def obstacle(parts: Sequence[Clause], place: int) -> str:
    """Say what in its surroundings speaks against a plain order, "" for nothing."""
    clause = parts[place]
    beside = [one for one in (clause.before, clause.after) if _finds(_SAYS_HOW_LONG, one)]
    near = mask(" ".join((clause.lead, clause.text, *beside)))
    if _finds(_WHILE, near) and not _finds(_BOTH, near):
        return "for a while"
    if _is_handed_on(parts, place):
        return "others' words"
    text = mask(clause.text)
    if clause.quoted or _is_banner(clause.text):
        return "quoted"
    if _finds(_POINTS, text):
        return "about one thing"
    marked = _finds(rf"{_SINCE}|{_PLACE}|\b(?:you|i|me|my)\b", f"{clause.lead} {text}")
    if not marked and _is_specified(parts, place):
        return "a specification"
    if _finds(_NOT_OURS, text):
        return "for others"
    return ""


def _is_handed_on(parts: Sequence[Clause], place: int) -> bool:
    """Whether an earlier line, or the lead, announces others' words or a plan."""
    openings = {part.sentence for part in parts[max(0, place - _AROUND) : place]}
    announced = [one for one in openings if one.rstrip().endswith((":", ": \""))]
    announced += [clause_lead for clause_lead in (parts[place].lead,) if clause_lead]
    if _finds(_TICKET, parts[0].text):
        return True
    return any(
        _finds(_HANDED, one) and (not _finds(_OF_MINE, one) or _finds(_OF_THESE, one))
        for one in announced
    )


def _is_banner(text: str) -> bool:
    words = text.split()
    return len(words) >= _BANNER and sum(word.isupper() for word in words) > len(words) / 2


def _is_specified(parts: Sequence[Clause], place: int) -> bool:
    """Whether something is built in the same message, so that "always" may be its behaviour."""
    around = [*parts[max(0, place - _AROUND) : place], *parts[place + 1 : place + 4]]
    return _finds(_BUILT, mask(" ".join(part.text for part in around)))


_AROUND = 20  # clauses: a flood is read in linear time


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern when it is first used: the command line starts without them."""
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


def _finds(pattern: str, text: str) -> bool:
    return bool(_pattern(pattern).search(text))

