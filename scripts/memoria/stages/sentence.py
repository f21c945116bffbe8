"""Markdown that a model wrote -> sentences, plain and self-contained, each with cues and a score.

The assistant has already written the prose about decisions and causes; what is left is to pick it.
So this parts text into units (heading, paragraph, item), units into sentences, takes the chatter
and the line numbers off them, and says by cue words what each is good for. The trap: a sentence
that starts with "this" means nothing alone, so it carries the one before it along.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memoria.stages.prose import capital, split, units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.stages.prose import Form, Unit
    from memoria.stages.transcript import Transcript

SHORTEST = 45  # characters: what is shorter is a label or says nothing alone
LONGEST = 300  # characters: what is longer is not read in a list


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that can stand alone: `unit` and `place` say where in its text it stood.

    `cues` are the names of the patterns in CUES and FAULTS that it matched; `score` sums their
    weights, without what depends on where it was said.
    """

    text: str
    form: Form
    heading: str
    lead: str
    unit: int
    place: int
    cues: frozenset[str]
    score: float


class Cue(NamedTuple):
    """A pattern over the lower-cased sentence and what it adds to the score."""

    name: str
    weight: float
    pattern: re.Pattern[str]


def _cue(name: str, weight: float, pattern: str) -> Cue:
    return Cue(name, weight, re.compile(pattern, re.VERBOSE))


# What makes a sentence worth keeping. The weights were set on judged candidates: a stated cause was
# worth keeping in 63 of 100, with a concrete subject in 90; a decision in half.
CUES = (
    # Why something is so: what a reader of the log wants most and finds nowhere else.
    _cue(
        "cause",
        1.6,
        r"""\b(?:root\ cause|turns\ out|because|caused\ by|due\ to|the\ reason|reason:|that's\ why|explains\ why
        |the\ (?:real|actual|underlying|core|key)\ (?:issue|problem|bug|reason|cause)\ (?:is|was)
        |the\ (?:issue|problem|bug)\ (?:is|was)\ (?:that|in)|fail(?:s|ed|ing)?\ (?:because|when|since)|broke|breaks|silently
        |never\ (?:called|set|reached|executed|cleared|updated|initiali[sz]ed|runs?|ran|happens?|worked)
        |(?:doesn't|don't|didn't|can't|cannot|does\ not|do\ not|did\ not)\ (?:work|respect|support|detect|include
          |handle|match|inherit|know|see|exist|persist|account|have\ access|reach|trigger|clear|check|update|need)
        |only\ works|so\ that|since\ (?:the|it|this|we|both|they|there|a|an)|which\ (?:means|causes|is\ why)|this\ means
        |would\ (?:fail|break|lose|overwrite|leak|crash|hang|block|cause)|race\ condition|import\ cycle|deadlock|regress)""",
    ),
    # The same said with emphasis: the sentence names itself as the finding.
    _cue(
        "diagnosis",
        0.5,
        r"\broot\ cause|\bthe\ (?:real\ |actual\ )?(?:bug|issue|problem|cause|culprit)\ (?:is|was)\b",
    ),
    # What mended it.
    _cue(
        "fix",
        1.2,
        r"\bthe\ (?:\w+\ )?fix\ (?:is|was|adds|uses|makes)\b|\bfixed\ by\b|\bsolved\ by\b|\bresolved\ by\b|^fix:|\bto\ fix\ this",
    ),
    # A choice between ways.
    _cue(
        "decision",
        1.1,
        r"""\b(?:instead\ of|rather\ than|decided|chose|opted|intentional(?:ly)?|by\ design|on\ purpose|kept|keep\ the
        |switch(?:ed|es)?\ (?:from|to)|replace[sd]?\ .{1,80}\ (?:with|by)|trade-?off|consistent\ with|matching\ the|follows?\ the\ (?:same|existing)
        |no\ longer|deprecated|renamed?|extracted|consolidated|removed|dropped|moved|unified|centrali[sz]ed|now\ (?:uses?|returns?|takes?|handles?
        |reads?|writes?|checks?|calls?|runs?|skips?|preserves?|has|have|includes?|only|lives?|goes|requires?))\b""",
    ),
    # What has to be so, or bites.
    _cue(
        "gotcha",
        0.7,
        r"\b(?:only\ (?:if|when|for|in)|must(?!\ be\ (?:the|a|why|because))|never|always|requires?|needs\ to|unless|even\ (?:if|when|though)|by\ default|not\ safe|process-global|edge\ case|caveat|note\ that|important)\b",
    ),
    # A statement of how a thing works: weak alone, good beside an identifier.
    _cue(
        "mechanism",
        0.4,
        r"\b(?:is|are)\ (?:stored|written|created|deleted|called|captured|computed|resolved|tracked|read|used|set|passed|sourced)\b",
    ),
)

# What spoils a sentence. HYPOTHESIS and HEDGE matter most: half of the causes that were guessed in
# the middle of a turn were refuted ten messages later.
FAULTS = (
    _cue(
        "hypothesis",
        -2.2,
        r"\b(?:would\ you\ like|if\ you\ (?:want|prefer|like)|want\ me\ to|should\ (?:i|we)\b|shall\ i|we\ (?:could|can|might|would\ need)|you\ (?:could|might|can|may)|might\ want|consider\b|option\ (?:[a-d]|\d)\b|approach\ (?:[a-c]|\d)\b|alternatively|perhaps|maybe|i'd\ (?:recommend|suggest)|could\ (?:also\ )?(?:add|be\ (?:simplified|refactored|extracted|improved|a)))",
    ),
    _cue(
        "hedge",
        -1.2,
        r"\b(?:likely|probably|presumably|possibly|seems?\ (?:to|like)|appears?\ to|must\ be\ (?:the|a|why|because)|might\ be|may\ be|could\ be|i\ (?:think|suspect|believe|guess)|diagnostics?\b|lsp\b|not\ sure|unclear|theor(?:y|etically)|wait\b)",
    ),
    _cue("first-person", -1.2, r"\b(?:i|i'm|i've|i'll|i'd|my|me)\b"),
    _cue(
        "intent",
        -1.4,
        r"\b(?:let's|let\ me|i'll|i\ need\ to|we\ need\ to|need\ to\ (?:check|see|look|find|update|fix|add)|going\ to|next\ step)\b",
    ),
    _cue(
        "status",
        -2.0,
        r"^(?:(?:all|everything|both|the|no|your|unit|integration|full)?\ ?(?:\d+\ )?(?:tests?|builds?|lint(?:er|ing)?|pr|changes?|commits?|branch|suite|checks?|issues?|comments?|items?|clean|everything)\b.{0,60}\b(?:pass(?:e[sd]|ing)?|clean|addressed|pushed|complete[d]?|up\ to\ date|committed|resolved|green|ready|fixed|merged|succeeds?|done))",
    ),
    _cue(
        "assurance",
        -1.4,
        r"\b(?:tests?\ (?:all\ )?pass(?:es|ed)?|all\ tests|backwards?[\ -]compatib\w+|0\ issues|lint\ (?:is\ )?clean|good\ news|looks?\ (?:good|correct|fine|right)|well[\ -](?:written|structured|tested|designed)|no\ (?:issues|problems)|correctly\ handles|clearly\ \w+s|which\ is\ (?:correct|fine|good|right)|is\ (?:correct|fine|acceptable)\b|nicely)\b",
    ),
    _cue(
        "testing",
        -0.8,
        r"\b(?:this\ test|the\ tests?|regression\ tests?|test\ (?:case|coverage|passes|fails|verifies)|tests?\ (?:that|for|to|verif\w+)|verifies|user\ (?:asked|wants|said))\b",
    ),
    _cue("arrow", -0.9, r"→|←|⇒|✓|✅|❌|⚠|✗"),
    _cue(
        "dangling",
        -0.9,
        r"^(?:this|these|that|those|it|its|they|them|he|she|here|there|such|so|then|which|and|or|but|also|both|the\ (?:same|other|former|latter|above|following|second|first|third|new|old|current)\b)",
    ),
    _cue(
        "plain-change",
        -0.5,
        r"^(?:test[a-z]+\b|added|updated|created|wrote|ran|checked|verified|confirmed|adds|updates|imports?)\b",
    ),
    _cue("line-number", -0.5, r"\blines?\ \d+"),
    # It was true for an hour: the state of a checkout, a review, an editor.
    _cue("passing", -1.2, r"\b(?:base\ branch|on\ the\ remote|up\ to\ date\ with|ahead\ of\ (?:main|master|origin)|conflict\ markers|stale\ diagnostics?|gopls|(?:this|the)\ pr\b|pull\ request|in\ this\ (?:session|conversation)|so\ far\b)"),
    _cue("before", -0.3, r"\b(?:currently|at\ the\ moment|right\ now|as\ of\ now)\b"),
    _cue("counting", -0.5, r"^\d+\b"),
    _cue("question", -2.0, r"\?\W{0,3}$"),
    _cue("open", -1.2, r":$"),
    _cue("torn", -0.7, r"[^.!?:)`\"”']$"),
    _cue("long", -0.5, r"^.{230}"),
)
_ALL = CUES + FAULTS
_PARAGRAPH = 0.4  # what stands in a paragraph explains; an item enumerates
_CONCRETE = 0.8  # names an identifier, path or command

# A sentence that starts so tells what the agent is about to do, or greets: never kept.
_CHAT = re.compile(
    r"""(?:let\ me|let's|i'll|i\ (?:need|want|should|will|can|see|also\ (?:see|need)|notice|understand|found\ (?:the|it|\d))\b|i'm\ (?:going|now)|i\ have\b|i've\b|i\ (?:was|just|think|believe|don't|didn't)
    |now\ (?:i|let|check|fix|add|update|run|the\ (?:last|next)|that\ i|we\ (?:need|can))\b|first,?\ (?:let|i)|next,?\ (?:let|i)|good\b|great\b|perfect\b|excellent\b|wonderful|nice\b
    |here(?:'s|\ (?:is|are))|looking\ (?:at|more)|done\b|all\ tests|sure\b|ok(?:ay)?\b|hmm|interesting|exactly[.!]|actually,?\ (?:let|wait|i)|wait\b|oh\b
    |you\ can\ (?:now|also|see|run|test)|to\ (?:test|verify|run|try)\b|if\ you(?:'d|\ (?:want|like|need|prefer))|committed\b|pushed\b|pr\ (?:created|\#)|draft\ pr
    |fetch\b|fetching|checking|running|re-?run|out\ of\ scope|suggested\ (?:message|commit)|confirming|based\ on\ (?:my|the|this)|summary\ of|the\ changes\ (?:are|look|made)|changes\ (?:made|summary)
    |go\ ahead|try\b|compare\ with|or\ if\b|feel\ free|tell\ me|note:?$|files?:|would\ you|do\ you\ want|shall\ i|should\ i|what\ (?:would|do)\ you|which\ (?:approach|option|one|direction)|want\ me|ready\ (?:to|for)|please\b|thanks?\b|sorry\b|apolog|the\ user\b|everything\ (?:looks|is))""",
    re.VERBOSE,
)
_CONTENTLESS = re.compile(
    r"(?:root cause (?:verified|found|confirmed)|(?:the )?(?:fix|change|edit|update|code|implementation|build|pattern|issue|picture) (?:is|was|looks?) (?:now )?(?:clear|straightforward|simple|good|correct|in place|complete|applied|minimal|clean|small)\b).{0,40}$"
)


# Openings that add nothing; what follows them may be the very finding.
_LEAD_IN = re.compile(
    r"""(?:(?:done|perfect|great|good|excellent|fixed|sure|ok(?:ay)?|right|correct|clean|all\ (?:clean|done|set|good|passing|green)|clear|exactly|indeed|absolutely|interesting|confirmed|ah|aha|hmm|got\ it|found\ it|understood|wait
    |(?:good|great|excellent|fair)\ (?:question|point|catch|idea|call|news)|i\ see|now\ i\ (?:see|understand|have)[^.!:—]{0,60}|i\ (?:can\ )?see\ (?:the|what)[^.!:—]{0,40}|there\ it\ is
    |you(?:'re|\ are)\ (?:absolutely\ |completely\ |totally\ )?(?:right|correct)[^.!:—,-]{0,50}|that's\ (?:a\ )?(?:good|great|right|correct|it)[^.!:—,-]{0,40}|found\ (?:the|a)\ (?:issue|problem|bug|root\ cause|culprit|cause)|(?:the\ )?(?:issue|problem|picture)\ is\ (?:now\ )?clear(?:\ now)?
    |in\ (?:short|summary|conclusion|other\ words)|to\ summari[sz]e|summary|tl;?dr|short\ answer|bottom\ line|verdict|conclusion|answer|note|important|key\ (?:insight|finding|point)|all\ \w+\ tests\ pass|(?:all\ )?tests\ pass|build\ succeeded)
    \s*(?:[.!:,;]+|\s[—–-]+|$)\s*
    |(?:looking\ at|based\ on|from)\ (?:the\ (?:code|diff|output|above|logs?)|my\ (?:analysis|review))[^,]{0,40},\s*
    |(?:so|now|also|but|however|therefore|thus|basically|actually|additionally|essentially|specifically|and|then|finally|overall|importantly)(?:,\s+|\s+(?=(?:the|when|if|a|an|`|both|we)\b))
    |(?:i\ can\ (?:now\ )?see|i\ (?:see|found|confirmed|verified|notice[d]?)|this\ (?:confirms|shows)|it\ (?:turns\ out|looks\ like)|note)\ that\s+
    )+""",
    re.VERBOSE | re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"(?:i(?:'ve| have)|we(?:'ve| have)|i|we) (?:also |now |just |already |successfully |then )*"
    r"((?:add|updat|fix|remov|creat|implement|refactor|renam|chang|replac|extract|mov|convert|delet|simplifi|introduc|consolidat|address|resolv|merg|rewr|split|us|configur|set|mad|wr[oi]t|kept|reverted|switch|adjust|document|clean|improv|wrapp|reduc|integrat|push|committ|restor|correct|enhanc|expand|migrat|moderni[sz]|revert|push|rebas)\w*)\b",
    re.IGNORECASE,
)
_NUMBERING = re.compile(
    r"^(?:(?:issue|bug|step|fix|finding|problem) )?#?\d{1,2}[.):]\s+(?=\S)", re.IGNORECASE
)
_AT_LINE = re.compile(
    r"\s*\((?:see\s+)?(?:at\s+)?lines?\s+[\d,\s–-]{1,30}\)|(?:\s+(?:at|on|in|around|from))?\s+lines?\s+\d+(?:\s*(?:[-–,]|and|to)\s*\d+){0,6}(?=[\s.,;:)])(?:\s+of(?=\s))?",
    re.IGNORECASE,
)


def tidy(sentence: str) -> str:
    """Take chatter off the front, the first person and line numbers out; "" if nothing is left."""
    text = _NUMBERING.sub("", sentence)
    if lead := _LEAD_IN.match(text):
        text = text[lead.end() :]
    if done := _FIRST_PERSON.match(text):
        text = text[done.start(1) :]
    if "line" in text:
        text = _AT_LINE.sub("", text)
    text = text.strip(" -–—;,")
    return (
        text[:1].upper() + text[1:] if text[:1].islower() and not _IDENTIFIER.match(text) else text
    )


_IDENTIFIER = re.compile(r"[a-z]+(?:[A-Z_./:()]|\d)\w*")
_NAMED = re.compile(
    r"`|\b[a-z]+[A-Z]\w|\b[A-Z][a-z]+[A-Z]\w|\w_\w|\w\(\)|\b[\w-]+\.(?:go|py|ts|tsx|js|rs|rb|java|md|json|ya?ml|toml|sh|c|h|cpp|cs|sql|html|css)\b|--[a-z]|/\w+/\w"
)
_CARRIED = re.compile(
    r"(?:this|these|that|those|it|its|they|which|but|so|such|otherwise|instead|as a result|then|here|there|the (?:same|fix|other|second|former|latter))\b",
    re.IGNORECASE,
)
_CARRY = 270  # characters that the two may have together


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of the assistant: its units, and the sentences of them that can stand alone."""

    units: tuple[Unit, ...]
    sentences: tuple[Sentence, ...]


Told = tuple[tuple[Passage, ...], ...]
"""The texts of a transcript, turn by turn, read once for all who pick from them."""


def told(transcript: Transcript) -> Told:
    """Read all that the assistant said in a transcript."""
    return tuple(tuple(passage(say.text) for say in turn.says) for turn in transcript.turns)


def passage(markdown: str) -> Passage:
    """Read one text: chatter left out, each sentence with its cues and score."""
    found = units(markdown)
    return Passage(found, tuple(_sentences(found)))


def _sentences(found: tuple[Unit, ...]) -> Iterator[Sentence]:
    before = ""
    for number, unit in enumerate(found):
        last = ""
        said = _VERDICT.match(unit.text) if unit.form == "heading" else None
        if said:
            yield _sentence(said["what"], unit, number, 0)
        elif unit.form != "heading":
            for sentence in _of_unit(unit, number, before):
                yield sentence
                last = sentence.text
        # A paragraph may take up the one before it; an item stands for itself.
        before = last if unit.form == "paragraph" and not last.endswith(":") else ""


# A heading that is itself the answer: "The verdict: not an issue".
_VERDICT = re.compile(
    r"(?:the |my )?(?:revised |final )?(?:verdict|conclusion|answer|root cause|recommendation|problem|result|bottom line)"
    r"\s*(?:[:—–]|\s-)\s*(?P<what>\S.{8,})",
    re.IGNORECASE,
)


def _of_unit(unit: Unit, number: int, before: str) -> Iterator[Sentence]:
    if unit.form == "item":
        before = ""
    for place, raw in enumerate(split(unit.text)):
        text = tidy(raw)
        if not text or is_chat(text):
            before = ""
            continue
        whole = text
        if _CARRIED.match(text) and before and len(before) + len(text) < _CARRY:
            whole = f"{before} {text}"
        before = whole if len(whole) < _CARRY else text
        yield _sentence(whole, unit, number, place)


def _sentence(text: str, unit: Unit, number: int, place: int) -> Sentence:
    cues, score = weigh(text)
    score += (_CONCRETE if _NAMED.search(text) else 0.0) + (0.0 if unit.form == "item" else _PARAGRAPH)
    return Sentence(text, unit.form, unit.heading, unit.lead, number, place, cues, score)


def is_chat(text: str) -> bool:
    """Whether a sentence tells only what the agent is about to do, or greets."""
    lowered = text[:80].lower()
    return bool(_CHAT.match(lowered) or _CONTENTLESS.match(text[:120].lower()))


def weigh(text: str) -> tuple[frozenset[str], float]:
    """Find the cues of a sentence and the sum of their weights."""
    lowered = text.lower()
    hits = [cue for cue in _ALL if cue.pattern.search(lowered)]
    return frozenset(cue.name for cue in hits), sum(cue.weight for cue in hits)


def is_named(text: str) -> bool:
    """Whether a text names something of code: an identifier, a file, a flag, a command."""
    return bool(_NAMED.search(text))


# -- Saying the same ------------------------------------------------------------------------------

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+|\d{2,}|[^\x00-\x7f]+")
_SUFFIX = re.compile(r"(?:ing|ed|es|s|ly|er|ion|ment|ation)$")
_EMPTY = frozenset(
    "the and for that this with was are not but has have had its can will from into when then than also now "
    "all any our you your they them their there which what who how why where does did done been being were "
    "user add added use used using new one two only just more some such same so if in on at to of is it as by or an be no do we".split()
)


def stems(text: str) -> frozenset[str]:
    """Give the content words of a text without their endings, to compare texts by.

    The endings are cut by rule of thumb; for comparing two lines of one session that does as well
    as a stemmer and is thirty times faster.
    """
    words = _WORD.findall(text.lower())
    return frozenset(
        _SUFFIX.sub("", word) if len(word) > 4 else word for word in words if word not in _EMPTY
    )  # noqa: PLR2004 - "used", "bus"


def containment(one: frozenset[str], other: frozenset[str]) -> float:
    """Give the share of the smaller set of stems that the other holds too, 0.0 if one is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
