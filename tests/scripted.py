"""The engine of tests, which replays answers: no part of the package, or agents could name it."""

import json
from pathlib import Path

from memoria import settings
from memoria.errors import BadReply, MemoriaError
from memoria.llm import budget
from memoria.llm.port import Cost, Model, Reply

NAME = "scripted:"


class ScriptedModel(Model):
    """Replays answers in order and remembers the requests; a MemoriaError in the list is raised."""

    name = "scripted"
    reads = "prompt"

    def __init__(self, answers):
        self._answers = list(answers)
        self.requests = []

    def ask(self, request):
        """Give the next answer of the script."""
        self.requests.append(request)
        if not self._answers:
            raise BadReply("the script has no further answer")
        answer = self._answers.pop(0)
        if isinstance(answer, MemoriaError):
            raise answer
        return Reply(answer, self.name, "script", Cost(input_tokens=1, output_tokens=1))


def admit_scripts(monkeypatch):
    """Let verbs of this process take `--engine scripted:FILE`, a list of answers as JSON."""
    parse, create = settings._parse_engine, budget.create_engine

    def create_scripted(name, *, state, calls_per_hour, keep, **more):
        if not name.startswith(NAME):
            return create(name, state=state, calls_per_hour=calls_per_hour, keep=keep, **more)
        answers = json.loads(Path(name.removeprefix(NAME)).read_text(encoding="utf-8"))
        return budget.BudgetedModel(ScriptedModel(answers), state, calls_per_hour, keep)

    monkeypatch.setattr(
        settings, "_parse_engine", lambda name: name if name.startswith(NAME) else parse(name)
    )
    monkeypatch.setattr(budget, "create_engine", create_scripted)
