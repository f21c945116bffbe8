"""What the agent said after the user -> whether it admits a fault of its own.

Many corrections are put as a question ("is that not per process?"), and nothing in their words
tells them from curiosity; the reply does. The trap: "good point" and a bare "you're right" greet
any suggestion, so the fault must be named, or mended at once.
"""

from __future__ import annotations

import re

_ADMITS = re.compile(
    r"""\bi\ was\ (?:wrong|mistaken|incorrect|confus\w+|framing|over\w+ing|too\ \w+)
    |\bi(?:'ve|\ have)?\ (?:just\ |also\ |only\ |\w+ly\ )?(?:misunderstood|misread|overlooked
      |misinterpreted|missed|forgot|broke|conflated|mixed\ up|jumped\ the|overcomplicated
      |over-?engineered|made\ (?:an?|that|this|it)\ (?:\w+\ )?(?:mistake|error|up\b|assumption))
    |\bi\ should(?:n't|\ not)?(?:'ve|\ have)\b|\bi\ apologi[sz]e|\bapologies\b
    |\bmy\ (?:mistake|bad\b|error|apologies|fault|oversight)
    |\byou(?:'re|\ are)\ (?:\w+\ )?right\b(?:.{0,200}\blet\ me\ (?:fix|correct|undo|restore
        |revert|re-?(?:trace|assess|check|think|consider|do\b|work|write|examine|evaluate))
      |.{0,120}\bdo\ it\ properly
      |\W{1,3}(?:my\ \w+|i\ (?:was|had|did|should)|the\ (?:test|fix|change)s?\ i)
      |.{0,120}\bmy\ (?:test|fix|change|edit|analysis|suggestion|code|claim|implementation|approach
        |earlier|previous|last|first)\b)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_OPENING = 350  # characters of a reply in which it says what it thinks of what was said


def admits(reply: str) -> bool:
    """Say whether a reply of the agent begins by admitting a fault."""
    return bool(_ADMITS.search(reply.replace("\u2019", "'")[:_OPENING]))
