"""The engine without a model: it computes the answer from the request's material.

It answers in the same JSON as the real model, so that its answers go through the same checks. It is
deterministic, costs nothing and says of itself that it only extracts.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from memoria.compile.topics import compile_day
from memoria.lint.claims import Pairs, denials
from memoria.llm.requests import Day, Question, Reply, Request
from memoria.rules.from_review.advice import advice
from memoria.rules.from_review.remarks import remarks
from memoria.rules.from_review.review_entry import Critique
from memoria.search.excerpt import excerpt
from memoria.vault.entry import Draft

if TYPE_CHECKING:
    from memoria.search.answer import Answer
    from memoria.vault.entry import Extract


class Offline:
    """Implements the Model port by extraction."""

    name = "offline"
    reads: Literal["prompt", "material"] = "material"

    def ask(self, request: Request) -> Reply:
        """Answer a flush with the extract's draft, a compile with the topics of the day.

        A question is answered with lines of the pages that were found for it, pairs of claims with
        those of which one denies the other, a code review with its remarks that hold in general.
        """
        if isinstance(request.material, Day):
            return Reply(asdict(compile_day(request.material)), self.name)
        if isinstance(request.material, Question):
            return Reply(_answer(excerpt(request.material)), self.name)
        if isinstance(request.material, Pairs):
            return Reply({"contradictions": denials(request.material.pairs)}, self.name)
        if isinstance(request.material, Critique):
            rules = [asdict(one) for one in advice(remarks(request.material.text))]
            return Reply({"rules": rules}, self.name)
        return Reply(_draft(request.material.extract), self.name)


def _answer(found: Answer) -> dict[str, object]:
    return {
        "known": found.known,
        "answer": found.text,
        "citations": found.citations,
        "follow_ups": found.follow_ups,
    }


def _draft(extract: Extract) -> dict[str, object]:
    if not extract.draft.worth_keeping:
        return asdict(Draft("", "", worth_keeping=False)) | {"statements": []}
    statements = [asdict(statement) for statement in extract.statements]
    return asdict(extract.draft) | {"statements": statements}
