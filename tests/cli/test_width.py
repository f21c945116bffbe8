"""Every verb on a vault of the sample sessions, as a terminal of 80 columns shows it."""

import io
import re
import shlex
import sys

import pytest
from place import PERSON

from memoria.cli.main import VERBS, command_parser, main

WIDTH = 80
# each verb as a person types it, in an order in which each has something to say
TYPED = [
    shlex.split(line)
    for line in """
demo ; init {home}/another-vault-in-a-folder-of-a-long-name ; start --from {samples} ; import
flush ; compile --dry-run ; compile ; status ; status --rules ; diff ; review
remember 'Always measure the time that a request takes before a change and after it'
install --dry-run ; install ; doctor ; update ; rewrite --since 2030-01-01 ; search refund
query 'What happens when a webhook is delivered twice?' ; why {rule} ; why {note} ; lint
new a-note-of-my-own ; list ; distill ; skills ; stats
learn --from-review {home}/review.txt --engine offline ; promote ; promote {rule} --dry-run
guard list ; guard list {rule} ; trust
reward {rule} 1 --context type-errors --outcome 'it found what was wrong' ; rewards
retire {other} ; reject {rule} ; experiment start ; experiment status ; experiment metrics
experiment report ; experiment report --all ; report ; team join {home}/shared --name ana
team status ; undo --list ; undo --dry-run ; undo ; forget --match refund --dry-run ; cost
uninstall --dry-run ; uninstall ; completion bash
""".replace("\n", " ; ").split(" ; ")
    if line
]
# their stdout is for a file, a shell or a program, to the letter
DOCUMENTS = ("completion bash", "distill", "skills", "promote", "promote {rule} --dry-run")


class Screen(io.StringIO):
    """What somebody looks at."""

    def isatty(self):
        return True


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a verb in a home of its own; give what it shows on stdout and stderr."""
    project = tmp_path / "code" / "shop-api"
    project.mkdir(parents=True)
    (tmp_path / "review.txt").write_text("- Always close the session in a finally block.\n")
    (tmp_path / "shared").mkdir()
    for name, value in {"HOME": tmp_path, "COLUMNS": WIDTH, "TERM": "dumb", "NO_COLOR": 1}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("MEMORIA_VAULT", str(tmp_path / "memoria"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.chdir(project)

    def run(*words):
        out, err = Screen(), io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            main(list(words), driver=PERSON)
        return out.getvalue(), err.getvalue()

    return run


def test_no_verb_prints_a_line_that_80_columns_do_not_show(run, tmp_path, samples):
    names = {"home": str(tmp_path), "samples": str(samples)}
    found = {}
    for words in TYPED:
        typed = [word.format(**names) for word in words]
        command_parser().parse_args(typed)
        out, err = run(*typed)
        is_document = " ".join(words) in DOCUMENTS
        assert out + err or is_document, typed
        names |= named(tmp_path / "memoria" / "knowledge")
        shown = err if is_document else out + err
        found[" ".join(words)] = [line for line in shown.splitlines() if is_too_long(line)]
    assert {words: lines for words, lines in found.items() if lines} == {}
    assert {words[0] for words in TYPED} == VERBS.keys() - {"mcp"}


def named(knowledge):
    """Give what a command can name in a vault: two rules and an article, where it has any."""
    found = [path.read_text(encoding="utf-8") for path in sorted(knowledge.glob("rules/*.md"))]
    rules = [re.search(r"^id: (.+)$", text, re.MULTILINE)[1] for text in found]
    articles = [str(path) for path in sorted(knowledge.glob("concepts/*.md"))]
    return dict(zip(("rule", "other", "note"), [*rules[:2], *articles[:1]], strict=False))


def is_too_long(line):
    """Whether a terminal would break it; a path or command that stands alone is as it is."""
    alone = r" *(`[^`]+`[,.;]?|(Vault:|---|\+\+\+) +/.*)"
    is_whole = len(line.split()) == 1 or re.fullmatch(alone, line)
    return len(line) > WIDTH and not is_whole
