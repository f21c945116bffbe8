"""Give the clauses of a text that can be read alone: what it asks for, tells, or says was done.

A clause with "this" or "I" and one that was cut in its middle name nothing.
"""

import re
from collections.abc import Iterator

from memoria.capture.extract.candidates import tidy
from memoria.capture.extract.user.asks import strip_politeness
from memoria.text.prose import capitalise, split_sentences, strip_markdown
from memoria.text.word_overlap import stems

LENGTH = 88  # characters: a heading of a log that fits on one line
FULL = 3  # content words: with fewer a clause names little
# what an agent is told to do
_ORDER_WORDS = (
    r"(?:completely |properly )?(?:add|address|adjust|allow|apply|avoid|build|bump|change"
    r"|clean|compare|convert|create|delete|disable|document|drop|enable|ensure|explain|extend"
    r"|extract|fix|generate|go through|hide|implement|improve|include|increase|inject|integrate"
    r"|investigate|limit|make|merge|migrate|move|print|rebase|reduce|refactor|remove|rename"
    r"|replace|restore|review|revert|rewrite|run|set up|show|simplify|split|store|suggest|support"
    r"|switch|track|turn|unify|update|upgrade|use|validate|verify|write)\b"
)
_ORDER = re.compile(rf"(?i){_ORDER_WORDS}")
# between clauses: ". ", ", ", " and then " where an order or a speaker follows
_CLAUSE_BORDER = re.compile(
    r"(?i)[.!?;]\s+|,?\s+(?:and|then|but)\s+(?:(?:also|then|now)\s+)?"
    rf"(?=(?:we|i|can|could|let|please|{_ORDER_WORDS})\b)"
    r"|,\s+|\s[\u2013\u2014-]\s|:\s|\n|\s(?=(?:can|could) (?:you|we)\s)"
)
# " in the last pr", " so that x": points at what stands elsewhere, or tells why; to the end
_ASIDE = re.compile(
    r"(?is)\s(?:(?:in|on|for|of|to|from|with|at|about|than|by)\s(?:(?:the|our|my)\s)?"
    r"(?:(?:local|current|last|same|right)\s)*(?:it|this|that|these|those|them|pr|branch|here|way"
    r"|me|us|each)\b|(?:for which|so that|so|since|because|as|where|if necessary"
    r"|to (?:ensure|make sure|see))\b|too$|\().*"
)
_BEFORE_ORDER = re.compile(r"(?i)\A(?:(?:and|so|first|i think) )+")
# "update the commit message", "fix": done around any work, or names nothing; "move x to y": was cut
_NO_ORDER = re.compile(
    r"(?i)\b(?:summar\w+|commit messages?|pr body|scratch|that)\b|^\w+$| to \w+$|\s\d(?:\s|$)"
)
# what code writes before a line of an entry: "Planned: ", "Found (edits followed): "
_LINE_LABEL = re.compile(
    r"^(?:User|Planned|Found \(edits followed\)|Reason for the change)(?!\w)[^:]{0,40}: "
)
# what parts a sentence: " and then ", "; ", ". ", ": ", ", ", " - ", " (", a line's end
_PART_BORDER = re.compile(
    r"\sand then\s|[;!?]\s+|\.(?=\s|$)|:\s+|,\s+|\s[\u2013\u2014-]{1,2}\s|\s\((?=\S)|\n"
)
_CODE_OR_FILE = re.compile(r"`[^`]*`|\S*[./]\w+\S*")
_BRACKETS = re.compile(r"\s\([^()]*\)(?=\s)")  # in the middle of a sentence
# "The cause is that ", "Fix: ", "Because ": says only that something follows
LABEL = re.compile(
    r"(?i)\A(?:(?:(?:the |key |main |root |real |bug )?(?:fix|cause|bug|solution|problem|issue"
    r"|insight|pattern|before|after|result|verdict)(?: pattern)?(?: (?:is|was)(?: that| to)?|:| —)"
    r"|since|because|now|so)\s+)+"
)
# words of any session: a clause that has only these does not say which one it was
ANY_SESSION = stems(
    """
    address branch broken bug build change check ci code comment commit create diff error issues
    explain fail failure feedback file fix generate help hook issue last line lint local look main
    make merge message output plan pr problem pull push read resolve review second see session show
    skill suggest summary take test tests update work write wrong debug outstanding right places
    verify correctly added behavior behaviour
    """
)
POINTS = re.compile(  # what points at something that stands elsewhere, and who speaks
    r"(?i)\b(?:i|i'm|i've|we|we're|you|your|my|me|us|our|he|she|they|their|this|these|those|it|its"
    r"|here|there|following|above|below|them|same|something|things?|yesterday|what)\b"
)
# "with x", "the tests", "doesn't": begins in the middle; not "the tests in `x`"
_BEGINS_IN_MIDDLE = re.compile(
    r"(?i)(?:in|on|at|of|for|to|from|with|by|as|but|and|or|so|then|also|when|if|while|where|why|how"
    r"|who|which|is|are|was|were|does|do|did|can|could|should|would|will|has|have|not|no|yes|because"
    r"|the (?:fix|issue|problem|tests?|change|file|code|other|first)(?! (?:at|in|of) `)|option"
    r"|doesn't|don't|failed|error|uses|example)\b|\W*$|[^\w`\"'.~/<$@]"
)
# what an answer says was done
_DID = (
    r"(?:added|built|changed|converted|created|deleted|disabled|documented|enabled|extended"
    r"|extracted|fixed|implemented|improved|introduced|made|migrated|moved|refactored|removed"
    r"|renamed|replaced|resolved|restored|reverted|rewrote|simplified|split|updated|wrote)\b"
)
_DONE = re.compile(rf"(?i)({_DID}):?\s+(?:the )?")
_AND_DONE = re.compile(rf"(?i),? and {_DID}")
_TAIL = re.compile(  # where a phrase begins that can be cut off: " so that ", " and all ", " with "
    r"(?i)\s(?:in both|in all|instead of|rather than|so that|so|because|since|which"
    r"|to (?:ensure|verify|make)|and (?:all|the|tests?|everything|verified|it|also)|while|but"
    r"|using|via|when|from|by|in|for|with|to)\s"
)
_EXPLAINS = re.compile(" \u2014 | - |: ")


def find_orders(text: str) -> Iterator[str]:
    """Yield what a text asks to do, each as one clause without politeness and asides."""
    for clause in _CLAUSE_BORDER.split(text):
        order = strip_politeness(strip_politeness(_BEFORE_ORDER.sub("", clause.strip(" .:;,"))))
        order = _ASIDE.sub("", _BEFORE_ORDER.sub("", order)).strip(" .:;,?")
        is_order = _ORDER.match(order) and not (_NO_ORDER.search(order) or POINTS.search(order))
        if is_order and not order.count("`") % 2 and (short := shorten_clause(capitalise(order))):
            yield short


def find_statement(text: str) -> str:
    """Give the first sentence of a text, or its head, where that can be read alone; else ""."""
    sentences = split_sentences(_LINE_LABEL.sub("", strip_markdown(text)))
    sentence = _BRACKETS.sub("", next(iter(sentences), ""))
    sentence = strip_politeness(LABEL.sub("", sentence).strip(" .:;,"))
    for head in (sentence, _PART_BORDER.split(sentence)[0]):
        statement = shorten_clause(capitalise(head.strip(" .:;,"))).rstrip(" ,;:")
        if is_readable_alone(statement) and stems(_CODE_OR_FILE.sub("", statement)) - ANY_SESSION:
            return statement
    return ""


def is_readable_alone(clause: str) -> bool:
    """Whether a clause can be read alone and names something: whole, specific, no pronouns."""
    is_short = len(clause) <= LENGTH and clause[-1:] not in ("?", "…", ":")
    is_whole = not clause.count("`") % 2 and clause.count("(") == clause.count(")")
    is_part = _BEGINS_IN_MIDDLE.match(clause) or POINTS.search(clause)
    return is_short and is_whole and not is_part and is_specific(clause)


def is_specific(clause: str) -> bool:
    """Whether a clause has words that do not stand in any session."""
    words = {stem for stem in stems(clause) - ANY_SESSION if not stem.isdigit()}
    return len(words) >= FULL - 1


def find_done_clauses(sentence: str) -> Iterator[str]:
    """Yield what a sentence of an answer says was done."""
    whole = _find_done_clause(sentence.rstrip(".:"))
    for clause in (
        whole,
        *map(_find_done_clause, _PART_BORDER.split(sentence)),
        shorten_clause(whole),
    ):
        # names of code alone tell nothing, and what follows a dash explains a name
        is_aside = _EXPLAINS.search(clause) or clause.endswith(")")
        if (
            is_specific(_CODE_OR_FILE.sub("", clause))
            and not is_aside
            and is_readable_alone(clause)
        ):
            yield clause


def _find_done_clause(text: str) -> str:
    """Give what a text tells as done without what goes on with it, "" if it tells nothing done."""
    # "Fixed: ..." tells what was done, "Fixed. Added ..." only begins
    done_text = _AND_DONE.split(text if _DONE.match(text) else tidy(text))[0]
    match = _DONE.match(done_text)
    return capitalise(f"{match[1]} {done_text[match.end() :]}") if match else ""


def shorten_clause(clause: str, max_length: int = LENGTH) -> str:
    """Cut a clause where a phrase ends, so that what is left is whole; "" where none does."""
    while len(clause) > max_length:
        heads = (clause[: match.start()] for match in _TAIL.finditer(clause))
        whole_heads = [
            head
            for head in heads
            if len(head) <= max_length and len(stems(head)) >= FULL
            if not head.count("`") % 2 and head.count("(") <= head.count(")")
        ]
        if not whole_heads:
            return ""
        clause = whole_heads[-1]
    return clause
