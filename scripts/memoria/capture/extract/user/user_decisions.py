"""Transcript -> the sentences in which the user states a decision.

What the user decided counts more than what the assistant says it did, and a session may hold
nothing else. A decision says what was chosen: "we decided to", "let's go with", "X over Y". The
trap: "let's keep going" and "should we use X?" choose nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.agents.claude_code.user_words import utterances
from memoria.agents.own_words import own_words
from memoria.capture.extract.sentences import stems
from memoria.capture.extract.user.clauses import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.agents.transcript import Transcript


class UserDecision(NamedTuple):
    """A sentence of the user's that states a decision, and the index of its turn."""

    text: str
    turn: int


_LONGEST = 300  # characters: a longer sentence describes more than a choice
_FEWEST = 2  # content words: "let's use it" names nothing that was chosen
_MEANS = r"(?:use|go\ with|stay\ (?:on|with)|stick\ (?:to|with)|switch\ (?:over\ )?to|adopt)"
_DECIDES = re.compile(
    rf"""\b(?:we|i|the\ team)(?:'ve|\ have)?\ (?:(?:just|already|now|finally|both|all)\ )?
      (?:decided|agreed|settled\ on|chose|opted|picked|went\ with)\b
    |\b(?:it\ (?:is|was)|it's)\ decided\b|\b(?:the|our|my)\ decision\ (?:is|was)\b|^decision\s?:
    |\b(?:we|i)(?:'ll|\ will|(?:'re|'m|\ are|\ am)\ (?:now\ )?going\ to)\ {_MEANS}\b
    |\b(?:we|i)(?:'re|'m|\ are|\ am)\ (?:now\ )?(?:going\ with|staying\ (?:on|with)
      |sticking\ (?:to|with)|switching\ (?:to|from)|moving\ (?:to|from)\ |migrating|adopting)\b
    |^(?:(?:ok(?:ay)?|so|yes|no|then|well)\W+)*(?:let'?s|lets)\ {_MEANS}\b
    |^(?:(?:ok(?:ay)?|so|yes|no|then|well)\W+)*(?:go\ with|stay\ (?:on|with)|stick\ (?:to|with))\b
    |^(?:use|take|choose|pick|keep)\ .{{2,120}}\b(?:because|since|rather\ than|instead\ of|over)\b
    |^use\ (?!the\b|this\b|that\b|it\b)\S+(?:\ \S+)?\ (?:for|as)\b
    |\b(?:we|i)\ want\ .{{2,120}}\b(?:because|since|rather\ than|instead\ of)\b
    |\b(?:wir\ (?:nehmen|verwenden|nutzen|benutzen|bleiben|haben\ (?:uns|entschieden|beschlossen))
      |nous\ (?:utilisons|avons\ (?:décidé|choisi))|on\ (?:a\ (?:décidé|choisi)|utilisera)
      |(?:hemos|he)\ (?:decidido|elegido)|usaremos|decidimos|escolhemos
      |abbiamo\ (?:deciso|scelto))\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPEN = re.compile(
    r"\?|\b(?:maybe|perhaps|might|could|should\ we|whether|if\ we|what\ if|not\ sure|i\ think"
    r"|wonder\w*|(?:not|n't|never|haven't) (?:yet )?(?:decided|agreed|settled|chosen))\b",
    re.IGNORECASE,
)


def user_decisions(transcript: Transcript) -> Iterator[UserDecision]:
    """Find the sentences of the user's own that state a decision, in the order of time."""
    for utterance in utterances(transcript):
        said = clauses(own_words(utterance))
        for sentence in dict.fromkeys(clause.sentence for clause in said):
            if is_decision(sentence):
                yield UserDecision(" ".join(sentence.split()), utterance.turn)


def is_decision(sentence: str) -> bool:
    """Whether a sentence states a decision, and names what was decided."""
    text = sentence.replace("\u2019", "'")
    stated = len(text) <= _LONGEST and _DECIDES.search(text) and not _OPEN.search(text)
    return bool(stated) and len(stems(text)) >= _FEWEST
