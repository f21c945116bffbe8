"""Tell whether a rule is in the user's own words, or in those of a model that quotes them."""

from memoria.capture.extract.user.rule_text import list_rule_texts
from memoria.rules.model import normal

# what may be left out around a rule without changing what it says; "not" and "if" are none of them
_FILLERS = frozenset(
    """a also and as btw can could forward from going hey hi i me now of ok okay on please pls
    really remember rule said save should so sure that thank thanks the this to told will would yeah
    yes you""".split()  # noqa: SIM905 - a list of words is read as text
)


def is_in_own_words(text: str, quote: str) -> bool:
    """Whether a rule says what its quote says: the same words, but for those that add nothing."""
    rule_words, quote_words = normal(text).split(), normal(quote).split()
    if not rule_words:
        return False
    for start in range(len(quote_words) - len(rule_words) + 1):
        end = start + len(rule_words)
        around = {*quote_words[:start], *quote_words[end:]}
        if quote_words[start:end] == rule_words and around <= _FILLERS:
            return True
    return any(normal(line).split() == rule_words for line in list_rule_texts(quote))
