"""The commands within a shell call, seen through what agents and hostile texts wrap around them."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memoria.text.shell.parse import parse_commands

FORCE = "git push --force"
# how FORCE is wrapped; docs/guide/guards.md has the names of both tables
SEEN = {
    "plain": "git push --force",
    "after cd": "cd /tmp && git push --force",
    "list": "true; git push --force || echo no",
    "pipe": "true | git push --force",
    "background": "git push --force &",
    "subshell": "(cd x; git push --force)",
    "group": "{ git push --force; }",
    "newline": "cd x\ngit push --force",
    "continued line": "git \\\n  push \\\n  --force",
    "comment before": "# push it\ngit push --force",
    "if": "if true; then git push --force; fi",
    "for": "for x in a b; do git push --force; done",
    "while": "while ! git push --force; do sleep 1; done",
    "case": "case x in x) git push --force;; esac",
    "function": "f() { git push --force; }; f",
    "variable before": "FOO=1 git push --force",
    "env": "env -u BAR FOO=1 git push --force",
    "env -S": "env -S 'git push --force'",
    "sudo": "sudo -u me git push --force",
    "timeout": "timeout -s KILL 5 git push --force",
    "nohup": "nohup git push --force",
    "time": "time git push --force",
    "exec": "exec git push --force",
    "command": "command git push --force",
    "nice": "nice -n 5 git push --force",
    "sudo of env of timeout": "sudo env A=1 timeout 5 git push --force",
    "xargs": "echo | xargs -n 1 git push --force",
    "find -exec": "find . -name x -exec git push --force \\;",
    "bash -c": 'bash -c "git push --force"',
    "bash -lc": "bash -lc 'cd x && git push --force'",
    "sh -c of sh -c": "sh -c \"sh -c 'git push --force'\"",
    "su -c": "su me -c 'git push --force'",
    "eval": 'eval "git push --force"',
    "trap": "trap 'git push --force' EXIT",
    "substitution": "echo $(git push --force)",
    "in quotes": 'echo "x $(git push --force) y"',
    "backticks": "echo `git push --force`",
    "process substitution": "diff <(git push --force) x",
    "absolute path": "/usr/bin/git push --force",
    "backslash": "\\git push --force",
    "quoted": "\"git\" 'push' --force",
    "quoted in the middle": "gi\"\"t pu's'h --force",
    "$'...'": "$'\\x67it' push --force",
    "variable": "x=git; $x push --force",
    "variable of words": "x='git push'; $x --force",
    "alias of the same text": "alias gp='git push'\ngp --force",
    "shell's here-document": "bash <<EOF\ngit push --force\nEOF",
    "piped here-document": "cat <<'EOF' | sh\ngit push --force\nEOF",
    "here-string": "bash <<< 'git push --force'",
    "echo to a shell": "echo 'git push --force' | sh",
    "substitution in a here-document": "cat <<EOF\n$(git push --force)\nEOF",
    "after a here-document": "cat <<EOF > x\ntext\nEOF\ngit push --force",
    "beside a here-document": "cat <<EOF > x; git push --force\ntext\nEOF",
}
NOT_SEEN = {
    "alias of the person's shell": "gpf",
    "function with arguments": 'f() { git push "$@"; }; f --force',
    "alias of git": "git config alias.p 'push --force'; git p",
    "script": "./push.sh",
    "sourced script": ". ./push.sh",
    "make": "make push",
    "base64 to a shell": "echo Z2l0IHB1c2ggLS1mb3JjZQ== | base64 -d | sh",
    "another language": "python -c \"import os; os.system('git push --force')\"",
    "words from outside": "git push $(cat options)",
    "words through xargs": "echo --force | xargs git push",
    "parts of an unknown variable": "git push $OPTIONS",
    "another machine": "ssh host git push --force",
}
NOT_THERE = {
    "text": "echo git push --force",
    "quoted text": "echo 'cd x && git push --force'",
    "comment": "ls # git push --force",
    "here-document": "cat <<'EOF' > notes.md\ngit push --force\nEOF",
    "stripped here-document": "cat <<-EOF > notes.md\n\tgit push --force\n\tEOF\nls",
    "message": 'git commit -m "git push --force"',
    "message of a here-document": "git commit -m \"$(cat <<'EOF'\ngit push --force\nEOF\n)\"",
    "asked for": "command -v git push --force",
    "asked of sudo": "sudo -l git push --force",
    "arithmetic": "echo $((1 + 2))",
}


def lines(text):
    return [" ".join((one.name, *one.words[1:])) for one in parse_commands(text)]


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN)
def test_a_command_is_seen_through_what_is_wrapped_around_it(text):
    assert FORCE in lines(text)


@pytest.mark.parametrize("text", NOT_SEEN.values(), ids=NOT_SEEN)
def test_what_is_only_known_when_it_runs_is_not_seen(text):
    assert FORCE not in lines(text)


@pytest.mark.parametrize("text", NOT_THERE.values(), ids=NOT_THERE)
def test_a_text_is_no_command(text):
    assert FORCE not in lines(text)


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("pytest", ()),
        ("uv run --with x pytest -q", ("uv run",)),
        ("python3 -W error -m pytest", ("python -m",)),
        ("python3 -mpytest -q", ("python -m",)),
        ("npm exec -- pytest", ("npm exec",)),
        ("sudo CI=1 pytest", ("sudo",)),
        ("echo pytest | bash -s x", ("bash",)),
        ("sudo bash -c pytest", ("sudo", "bash")),
        ("npx -y pytest", ("npx",)),
        ("poetry run pytest", ("poetry run",)),
        ("uvx --from y pytest", ("uvx",)),
    ],
)
def test_who_runs_it_is_told(text, under):
    (found,) = (one for one in parse_commands(text) if one.name == "pytest")
    assert found.under == under


@pytest.mark.parametrize(
    ("text", "writes"),
    [
        ("echo a > x.txt 2> err", ("x.txt", "err")),
        ("echo a >> 'my file'", ("my file",)),
        ("make &> log", ("log",)),
        ("make > /dev/null 2>&1", ()),
        ("[[ a > b ]]", ()),
        ("sort < in", ()),
    ],
)
def test_files_that_it_writes(text, writes):
    assert parse_commands(text)[0].writes == writes


def test_a_here_document_is_what_the_command_is_given():
    first, second = parse_commands("cat <<A > a; cat <<B > b\none\nA\ntwo\nB")
    assert (first.body, first.writes, second.body, second.writes) == ("one", ("a",), "two", ("b",))


def test_nothing_is_deep_or_long_enough_to_hurt():
    assert parse_commands("$(" * 5_000 + "ls")
    assert len(parse_commands("`" * 10_001)) == 1
    assert len(parse_commands("bash -c " * 2_000 + "ls")) < 10
    assert len(parse_commands("sudo " * 5_000 + "ls")) < 20
    assert parse_commands("a" * 200_000)[0].name == "a" * 60_000
    assert parse_commands("") == parse_commands("\n;&|()") == ()


SIGNS = st.lists(
    st.sampled_from(
        (
            *("git", "push", " ", "\n", ";", "|", "&", "(", ")", "'", '"', "`", "$(", "${", "$"),
            *("\\", "<<EOF", "EOF", "<", ">", "#", "=", "bash -c ", "eval ", "sudo ", "{", "}"),
            *("$'", "é"),
        )
    ),
    max_size=40,
).map("".join)


@given(SIGNS)
def test_any_text_is_read_without_an_error(text):
    assert all(one.words and one.words[0] for one in parse_commands(text))


GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "guards.md"


@pytest.mark.parametrize(("row", "forms"), [("Seen through", SEEN), ("Not seen", NOT_SEEN)])
def test_the_guide_says_what_is_seen_through_and_what_is_not(row, forms):
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    (line,) = (one for one in lines if one.startswith(f"| {row} |"))
    told = [one.strip() for one in line.split("|")[2].replace("`", "").split(",")]
    assert sorted(told) == sorted(forms)
