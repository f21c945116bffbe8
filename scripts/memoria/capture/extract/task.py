"""What a session was asked and what it touched -> its task: feature, fix, test, refactor, ...

A rule about tests helps where tests are written, so a session's task is part of its context. The
prompt's verbs say it best; where they do not, the files do. The trap: "fix the tests" is a fix and
"test the fix" is a test: the first word that tells counts most. The prompt hook loads this module,
so it imports nothing and uses no regular expressions.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

TASKS = ("feature", "fix", "test", "refactor", "docs", "operations")

_CUES = {
    "feature": "add implement create build introduce support feature allow extend new want",
    "fix": """fix bug broken error fails failing failed crash crashes wrong issue debug regression
        exception traceback repair hotfix investigate""",
    "test": "test tests coverage pytest unittest spec specs e2e assertion fixture mock",
    "refactor": """refactor rename cleanup simplify restructure extract split dedupe tidy
        reorganize modernize typing""",
    "docs": "docs document documentation readme changelog docstring docstrings comment guide typo",
    "operations": """deploy release ci pipeline docker kubernetes terraform migrate migration
        upgrade bump install configure rollback workflow publish merge rebase commit push
        backup""",
}
_TASK_OF = {word: task for task, words in _CUES.items() for word in words.split()}
# parts of a file's name or folder, and its endings; the first row that fits counts
_FOLDERS = (
    ("test", ("test", "tests", "spec", "specs", "__tests__", "e2e")),
    ("operations", (".github", "deploy", "terraform", "ansible", "k8s", "helm", "dockerfile")),
    ("docs", ("docs", "doc", "readme", "changelog")),
)
_ENDINGS = {"md": "docs", "rst": "docs", "tf": "operations", "dockerfile": "operations"}
# a prompt's head tells what it is about; what follows is pasted
_WORDS = 60
# the first cue counts this much, one 10 words later half of it
_FADE = 10.0
# five files of one kind weigh as much as a cue in the middle of the prompt
_FILES_WEIGHT = 0.5


def task(prompt: str, files: Iterable[str] = ()) -> str:
    """Give the task of a session, one of TASKS, or "" where nothing tells."""
    scores = dict.fromkeys(TASKS, 0.0)
    told: set[str] = set()
    for place, word in enumerate(_words(prompt)[:_WORDS]):
        found = _TASK_OF.get(word)
        if found and word not in told:  # saying it again is no other cue
            told.add(word)
            scores[found] += 0.5 ** (place / _FADE)
    kinds = [kind for kind in map(_kind, files) if kind]
    for kind in kinds:
        scores[kind] += _FILES_WEIGHT / len(kinds)
    best = max(TASKS, key=lambda name: scores[name])
    return best if scores[best] > 0.0 else ""


def _words(text: str) -> list[str]:
    plain = "".join(char if char.isalnum() else " " for char in text[:4_000].lower())
    return plain.split()


def _kind(path: str) -> str:
    """Give the task that a touched file speaks of, "" for a file of the program itself."""
    parts = path.lower().replace("\\", "/").split("/")
    stem, _, ending = parts[-1].rpartition(".")
    names = {*parts[:-1], *(stem or ending).replace("-", "_").split("_")}
    for name, folders in _FOLDERS:
        if not names.isdisjoint(folders):
            return name
    return _ENDINGS.get(ending, "")
