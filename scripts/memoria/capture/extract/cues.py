"""A sentence -> its Cues: words that tell a cause, a choice or a gotcha, and words that spoil it.

Each cue is one pattern with a weight; a sentence's score is their sum. The weights were set on
judged candidates of real sessions: of sentences with a stated cause 63 in 100 were worth keeping,
of those with a concrete subject besides 90, of decisions half. The trap: what was guessed in the
middle of a turn was refuted ten messages later as often as not, so guesses cost more than causes
earn.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memoria.text.lazy_patterns import LazyPattern


class Cue(NamedTuple):
    """A pattern over the lower-cased sentence and what it adds to the score."""

    name: str
    weight: float
    pattern: LazyPattern


def _cue(name: str, weight: float, pattern: str) -> Cue:
    return Cue(name, weight, LazyPattern(pattern, re.VERBOSE))


MERITS = (
    # Why something is so: what a reader of the log wants most and finds nowhere else.
    _cue(
        "cause",
        1.6,
        r"""\b(?:
          root\ cause | turns\ out | because | caused\ by | due\ to | the\ reason | reason:
        | that's\ why | explains\ why | which\ (?:means|causes|is\ why) | this\ means
        | the\ (?:real|actual|underlying|core|key)\ (?:issue|problem|bug|reason|cause)\ (?:is|was)
        | the\ (?:issue|problem|bug)\ (?:is|was)\ (?:that|in)
        | fail(?:s|ed|ing)?\ (?:because|when|since) | broke | breaks | silently | only\ works
          | so\ that
        | never\ (?:called|set|reached|executed|cleared|updated|initiali[sz]ed|runs?|ran|happens?
          |worked)
        | (?:doesn't|don't|didn't|can't|won't|cannot|does\ not|do\ not|did\ not)\ (?:work|respect
          |support|detect
            |include|provide|handle|match|inherit|know|see|exist|persist|account|have\ access
              |reach|trigger|clear
            |check|update)
        | since\ (?:the|it|this|we|both|they|there|an?|[^\s,.]{1,40}\ (?:(?!was\b)\w+s|are|have
          |can't|don't))
        | would\ (?:fail|break|lose|overwrite|leak|crash|hang|block|cause)
        | race\ condition | import\ cycle | deadlock | regression\ (?:in|from|caused))\b
        | ^(?:problem|issue|reason|rationale|root\ cause|why)\b[^:]{0,30}:\ """,
    ),
    # The same with emphasis: the sentence names itself as the finding.
    _cue(
        "diagnosis",
        0.5,
        r"\broot\ cause | \bthe\ (?:real\ |actual\ )?(?:bug|issue|problem|cause|culprit)\ (?:is"
        r"|was)\b",
    ),
    # Announced by its author as the upshot.
    _cue(
        "result",
        0.7,
        r"^(?:verdict|result|outcome|key\ (?:insight|finding|point)|net\ effect):\ ",
    ),
    # What mended it.
    _cue(
        "fix",
        1.2,
        r"""\bthe\ (?:\w+\ )?fix\ (?:is|was|adds|uses|makes)\b | \b(?:fixed|solved|resolved)\ by\b
        | ^fix:""",
    ),
    # A choice between ways.
    _cue(
        "decision",
        1.1,
        r"""\b(?:
          instead\ of | rather\ than | decided | chose | opted | intentional(?:ly)? | by\ design
        | on\ purpose | kept | keep\ the | switch(?:ed|es)?\ (?:from|to) | trade-?off
        | replace[sd]?\ .{1,80}\ (?:with|by) | consistent\ with | matching\ the
        | follows?\ the\ (?:same|existing) | no\ longer | deprecated | renamed? | extracted
        | consolidated | removed | dropped | moved | unified | centrali[sz]ed
        | now\ (?:uses?|returns?|takes?|handles?|reads?|writes?|checks?|calls?|runs?|skips?
          |preserves?|has
            |have|includes?|only|lives?|goes|requires?))\b
        | ^(?:solution|fix|decision|(?:changed|new)\ behaviou?r)\b[^:]{0,30}:\ """,
    ),
    # What has to be so, or bites.
    _cue(
        "gotcha",
        0.7,
        r"""\b(?:only\ (?:if|when|for|in) | must(?!\ be\ (?:the|a|why|because)) | never | always
            | requires?
        | needs\ to | unless | even\ (?:if|when|though) | by\ default | not\ safe | process-global
        | edge\ case | caveat | note\ that | important)\b""",
    ),
    # How a thing works: weak alone, good beside an identifier.
    _cue(
        "mechanism",
        0.4,
        r"""\b(?:is|are)\ (?:stored|written|created|deleted|called|captured|computed|resolved
            |tracked|read
        |used|set|passed|sourced)\b""",
    ),
)

FAULTS = (
    # An offer or a thought, not a fact.
    _cue(
        "hypothesis",
        -2.2,
        r"""\b(?:would\ you\ like | if\ you\ (?:want|prefer|like) | want\ me\ to | should\ (?:i
            |we)\b
        | shall\ i | we\ (?:could|can|might|would\ need) | you\ (?:could|might|can|may)
          | might\ want
        | consider\b | (?:option|approach)\ (?:[a-d]|\d)\b | alternatively | perhaps | maybe
        | i'd\ (?:recommend|suggest)
        | could\ (?:also\ )?(?:add|be\ (?:simplified|refactored|extracted|improved|a)))""",
    ),
    # Said with a doubt.
    _cue(
        "hedge",
        -1.2,
        r"""\b(?:likely | probably | presumably | possibly | seems?\ (?:to|like) | appears?\ to
        | must\ be\ (?:the|a|why|because) | (?:might|may|could)\ be | i\ (?:think|suspect|believe
          |guess)
        | diagnostics? | lsp | not\ sure | unclear | claims? | theor(?:y|etically) | wait)\b""",
    ),
    # About the agent, which the reader is not.
    _cue("first-person", -2.0, r"\b(?:i|i'm|i've|i'll|i'd|my|me)\b"),
    _cue(
        "address",
        -1.0,
        r"\byou(?:'ve)?\ (?:identified|mentioned|reported|asked|pointed|described|said|saw)",
    ),
    # About to be done.
    _cue(
        "intent",
        -1.4,
        r"""\b(?:let's | let\ me | i'll | i\ need\ to | we\ need\ to | going\ to | next\ step
        | need\ to\ (?:check|see|look|find|update|fix|add))\b""",
    ),
    # That something passes or is done: no finding, and stale at once.
    _cue(
        "status",
        -2.0,
        r"""^(?:(?:all|everything|both|the|no|your|unit|integration|full)?\ ?(?:\d+\ )?
        (?:tests?|builds?|lint(?:er|ing)?|pr|changes?|commits?|branch|suite|checks?|issues?
          |comments?|items?
          |clean|everything|task|files?|review\ \w+)\b
        .{0,60}\b(?:pass(?:e[sd]|ing)?|clean|addressed|pushed|completed?|up\ to\ date|committed
          |resolved
          |green|ready|fixed|merged|updated\ success\w+|succeeds?|done|approved)\b)
        | :\ (?:fixed|done|completed?|implemented|passing)\b""",
    ),
    # Praise of the work.
    _cue(
        "assurance",
        -2.0,
        r"""\b(?:tests?\ (?:all\ )?pass(?:es|ed)? | all\ tests | backwards?[\ -]compatib\w+
            | 0\ issues
        | lint\ (?:is\ )?clean | good\ news | looks?\ (?:good|correct|fine|right)
        | well[\ -]\w+ed | well[\ -]written | no\ (?:issues|problems) | correctly\ handles
        | clearly\ \w+s | which\ is\ (?:correct|fine|good|right) | is\ (?:correct|fine|acceptable)
        | nicely)\b""",
    ),
    # About a test and not about what it tests.
    _cue(
        "testing",
        -1.6,
        r"""\b(?:this\ test | regression\ tests? | tests?\ (?:that|for|to|verif\w+)
        | test\ (?:case|coverage|passes|verifies)s? | verifies | user\ (?:asked|wants|said))\b""",
    ),
    _cue("tests", -0.3, r"\bthe\ tests?\b | \btests?\ fails?\b"),
    # True for an hour: the state of a checkout, a review, an editor.
    _cue(
        "passing",
        -1.2,
        r"""\b(?:base\ branch | on\ the\ remote | up\ to\ date\ with | ahead\ of\ (?:main|master
            |origin)
        | conflict\ markers | (?:minor|remaining|the)\ merge\ conflicts? | stale\ diagnostics?
          | gopls
        | (?:this|the)\ pr | pull\ request | in\ this\ (?:session|conversation) | so\ far
        | (?:unstaged|uncommitted|untracked)\ changes | (?:haven't|not\ yet|not)\ committed
          | unrelated)\b""",
    ),
    # The state that is about to be changed.
    _cue("before", -0.3, r"\b(?:currently | at\ the\ moment | right\ now | as\ of\ now)\b"),
    # Marks of a list or table, not of a sentence.
    _cue("arrow", -0.9, r"[→←⇒✓✅❌⚠✗]"),
    # Starts with a word that points back.
    _cue(
        "dangling",
        -0.9,
        r"""^(?:[a-z][a-z\ ]{2,20}:\ )?(?:this | these | that | those | it | its | they | them
            | he | she | here | there | such | so
        | then | which | and | or | but | also | both\ (?!\w+s\b) | later | either | someone
        | the\ (?:same|other|former|latter|above|following|second|first|third|new|old|current))\b
        | \b(?:detect|handl|includ|track|caus|fix|us|add|mak)\w*\ (?:these|those
          |this)\b(?!\ \w+s?\b(?<!as)(?<!in))""",
    ),
    # A change without a reason; a label in front ("file.py - Added ...") does not matter.
    _cue(
        "plain-change",
        -0.6,
        r"""^(?:`?[\w./-]{1,80}`?(?:\(\))?`?\ ?(?:[—\u2013-]|:)\ )?
        (?:test[a-z]+|added|updated|created|wrote|ran|checked|verified|confirmed|adds|updates
          |imports?)\b""",
    ),
    _cue("hype", -0.6, r"!$"),
    _cue("line-number", -0.5, r"\blines?\ \d+"),
    _cue("counting", -0.5, r"^\d+\b"),
    _cue("question", -2.0, r"\?\W{0,3}$"),
    _cue("open", -1.2, r":$"),
    _cue("torn", -0.7, r"[^.!?:)`\"”']$"),
    _cue("long", -0.5, r"^.{230}"),
)

_ALL = MERITS + FAULTS


def weigh(text: str) -> tuple[frozenset[str], float]:
    """Find the cues of a sentence and the sum of their weights."""
    lowered = text.lower()
    hits = [cue for cue in _ALL if cue.pattern.search(lowered)]
    return frozenset(cue.name for cue in hits), sum(cue.weight for cue in hits)


# A sentence that starts so tells what the agent is about to do, greets, or reports an errand.
_CHAT = re.compile(
    r"""(?:
      let\ me | let's | i'll | i'm\ (?:going|now) | i\ have | i've | first,?\ (?:let|i)
        | next,?\ (?:let|i)
    | i\ (?:need|want|should|will|can|see|also\ (?:see|need)|notice|understand|was|just|think
      |believe|don't
        |didn't|found\ (?:the|it|\d))
    | now\ (?:i|let|check|fix|add|update|run|implement|write|create|remove|replace|make|verify
      |test|look|wire
        |handle|the\ (?:last|next)|that\ i|we\ (?:need|can))
    | good | great | perfect | excellent | wonderful | nice | done | sure | ok(?:ay)? | hmm
      | interesting
    | need\ to | exactly[.!] | oh | wait | actually,?\ (?:let|wait|i) | all\ tests | here(?:'s
      |\ (?:is|are))
    | looking\ (?:at|more) | summary\ of | changes\ (?:made|summary)
    | the\ changes\ (?:are|look|made) | based\ on\ (?:my|the|this)
    | you\ can\ (?:now|also|see|run|test) | to\ (?:test|verify|run|try) | try | compare\ with
      | or\ if
    | if\ you(?:'d|\ (?:want|like|need|prefer)) | feel\ free | tell\ me | go\ ahead | please
      | thanks?
    | sorry | apolog\w+ | the\ user | everything\ (?:looks|is) | note:?$ | files?:
    | committed | pushed | pr\ (?:created|\#) | draft\ pr | fetch | fetching | checking
      | running | re-?run
    | out\ of\ scope | suggested\ (?:message|commit) | confirming | ready\ (?:to|for)
    | would\ you | do\ you\ want | shall\ i | should\ i | what\ (?:would|do)\ you | want\ me
    | which\ (?:approach|option|one|direction))(?!\w)""",
    re.VERBOSE,
)
_CONTENTLESS = re.compile(
    r"""(?:root\ cause\ (?:verified|found|confirmed)
    | (?:the\ )?(?:fix|change|edit|update|code|implementation|build|pattern|issue|picture)
      \ (?:is|was|looks?)\ (?:now\ )?
      (?:clear|straightforward|simple|good|correct|in\ place|complete|applied|minimal|clean|small)\b
    ).{0,40}$""",
    re.VERBOSE,
)


def is_chat(text: str) -> bool:
    """Whether a sentence tells only what the agent is about to do, or greets."""
    lowered = text[:120].lower()
    return bool(_CHAT.match(lowered) or _CONTENTLESS.match(lowered))
