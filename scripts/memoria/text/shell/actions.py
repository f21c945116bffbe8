"""Say what a shell command does: its action, whether it checks, whether it hides failure.

An agent writes the same action in many ways (`cd x && go test ./y -v 2>&1 | tail`), so a failure
and the success that ends it are matched by program and subcommand. This is a reader of common
commands and no shell. After a pipe the exit status is that of `tail`: a failure looks like success.
"""

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memoria.text.shell import parse
from memoria.text.shell.simple_command import (
    SHELLS,
    find_inner_commands,
    find_script,
    is_setting,
    past_options,
)

# A long command is a script in a heredoc or a -c string; what it runs stands at its beginning.
_MAX_CHARS = 16_000

# Programs whose first words say what they do; of all others the name alone is the action.
_WITH_VERBS = {"git", "go", "npm", "pnpm", "yarn", "bun", "cargo", "docker", "kubectl", "gh",
               "glab", "mise", "uv", "poetry", "pip", "pip3", "make", "just", "task", "dotnet",
               "gradle", "gradlew", "mvn", "mvnw", "terraform", "tofu", "aws", "gcloud", "az",
               "helm", "brew", "apt", "apt-get", "deno", "swift", "flutter", "dart", "mix",
               "rails", "manage.py", "composer", "nx", "turbo", "lerna", "rake", "php", "systemctl",
               "ruff", "hatch", "pdm", "pre-commit", "zig", "cabal", "stack", "sbt",
               "bazel", "bazelisk", "pixi", "rye", "poe", "invoke", "inv", "mage", "lein", "dune",
               "crystal", "rebar3"}  # fmt: skip
_TWO_VERBS = {"run", "pr", "issue", "repo", "compose", "workflow", "stash", "release", "tool",
              "mod", "exec", "worktree", "remote", "pip", "api", "submodule",
              "artisan"}  # fmt: skip
# They change the shell or print; they are no action of their own beside another command.
_QUIET_VERBS = {"cd", "export", "set", "source", ".", "echo", "printf", "sleep", "true", "pushd",
           "popd", "unset", "wait", "clear", "alias", "ulimit", "umask"}  # fmt: skip
# programs that check whatever they are given, and verbs and options that make others check: from
# the tools' own `--help`
_CHECKERS = {"pytest", "py.test", "jest", "vitest", "mocha", "ava", "tap", "tsc", "eslint",
             "mypy", "pyright", "flake8", "pylint", "black", "prettier", "golangci-lint",
             "staticcheck", "shellcheck", "make", "cmake", "ctest", "ninja", "tox", "nox",
             "rspec", "rubocop", "phpunit", "phpstan", "javac", "gcc", "g++", "cc", "clang",
             "clang++", "rustc", "xcodebuild", "msbuild", "playwright", "cypress", "biome",
             "oxlint", "stylelint", "markdownlint", "hadolint", "actionlint", "yamllint",
             "ruff", "ty", "basedpyright", "swiftlint", "ktlint", "gradlew", "gradle", "mvn",
             "mvnw", "bats", "buf", "tflint", "vet", "unittest", "nextest", "gotestsum", "vue-tsc",
             "pest", "dmypy", "pre-commit run", "npm t", "node --test", "tsx --test", "doctest",
             "nose2", "prove", "busted", "rebar3 eunit", "rebar3 ct"}  # fmt: skip
# with these a tool only tells of itself, or of what it would do
_TELLING_OPTIONS = {"--version", "--help", "--collect-only", "--co", "--dry-run"}
# alone they say nothing of the code, also where the tool does
_NO_CHECKS = {"make clean", "make help", "make fmt", "make format", "make run", "make dev",
             "make start", "make deploy", "mvn clean", "gradle clean",
             "./gradlew clean"}  # fmt: skip
_PROGRAMS = {"python", "python3", "node", "ruby", "php", "perl", "java", "deno", "bun", "tsx",
             "ts-node", "manage.py"}  # fmt: skip
_CHECK_VERB = re.compile(  # "test:unit", "lint-fix", "run.test"
    r"(?:^|[:_./-])(?:tests?|lint\w*|checks?|build|vet|type-?check\w*|types|tsc|clippy|ci|e2e|unit"
    r"|integration|compile|verify|validate|spec|format-check|analy[sz]e|run\.test)(?:$|[:_./-])"
)
# Their exit status 1 says "no" or "different": an answer, not a failure.
_QUESTIONS = {"grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "[[",
              "which", "command", "type", "pgrep", "lsof", "expr", "pidof",
              "colordiff"}  # fmt: skip
_QUESTION_VERBS = {"git grep", "git config", "git check-ignore", "git merge-base", "git rev-parse",
                   "git show-ref", "git ls-remote", "git diff", "git symbolic-ref",
                   "gh pr checks", "gh run view", "gh run watch", "gh pr view", "gh auth",
                   "git cat-file", "npm outdated", "systemctl is-active", "brew list",
                   "docker inspect", "git ls-files", "git stash list"}  # fmt: skip


# options that take a value, before a program's subcommand
_VALUED_OPTIONS = {"-C", "-c", "--filter", "-F", "--dir", "--prefix", "--cwd", "-w", "--workspace",
           "--manifest-path", "--git-dir", "--work-tree", "--directory", "workspace"}  # fmt: skip
_YARN_PLACES = {"workspace", "workspaces", "foreach"}  # words of yarn that only say where
# programs that run another one in a container or on another machine, whose name stands before it:
# their verbs, the options that take a value, and those with which it goes on there, so that the
# status only says that it was begun (as their `--help` has them)
_DOCKER_OPTIONS = """-e --env --env-file -u --user -w --workdir -v --volume -p --publish --name
    --network --entrypoint --platform --mount -f --file --profile --project-name
    --project-directory -m"""
_REMOTE_RUNNERS = {
    **dict.fromkeys(
        ("docker", "podman", "docker-compose"),
        ("exec run", _DOCKER_OPTIONS, r"--detach|-[it]*d[it]*"),
    ),
    **dict.fromkeys(("kubectl", "oc"), ("exec", "-n --namespace -c --container --context", "")),
    "ssh": ("", "-b -c -D -E -e -F -i -J -L -l -m -o -p -Q -R -S -W -w", "-[nNtTq]*f"),
}
_MAX_SHELL_DEPTH = 4  # shells within shells: a person writes two


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a line: its words without quotes, and the operator that stands before it."""

    words: tuple[str, ...]
    operator: str = ""
    # a `!` turns its status round
    is_inverted: bool = False

    @property
    def is_filter(self) -> bool:
        """Whether it reads what another command printed."""
        return self.operator in {"|", "|&"}


@lru_cache(maxsize=512)  # each reader of a call asks again
def parse_commands(text: str) -> tuple[Command, ...]:
    """Give the commands of a command line, without those that they run and its redirections."""
    return tuple(
        Command((*command.assigned, *command.words), command.operator, command.is_inverted)
        for command in parse.parse_commands(text[:_MAX_CHARS])
        if command.operator is not None
    )


def _unwrap(words: tuple[str, ...]) -> tuple[str, ...]:
    """Drop assignments and the programs that only run another one."""
    while True:
        while words and is_setting(words[0]):
            words = words[1:]
        name = words[0].rsplit("/", 1)[-1] if words else ""
        # `find -exec` does what find does
        inner = None if name == "find" else next(find_inner_commands(name, words), None)
        # `hatch run test` runs a task of the project's: nobody runs the shell's `test` so
        if not inner or (inner[1][0] == "test" and inner[0].endswith(" run")):
            return words
        words = inner[1]


def _find_status_command(command: Command) -> Command | None:
    """Give the command whose status a shell, a container or another machine hands on, if one."""
    words = _unwrap(command.words)
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name in SHELLS:
        text = find_script(name, words) or shlex.join(words[past_options(words, 1, "-o -O") :])
    else:
        text = _find_remote_text(name, words)
    commands = parse_commands(text)
    if not commands or text.rstrip().endswith("&") or not all(map(is_quiet, commands[:-1])):
        return None
    last = commands[-1]
    return None if last.is_inverted or last.operator not in {"", "&&", ";", "\n"} else last


def _find_remote_text(name: str, words: tuple[str, ...]) -> str:
    """Give what a program runs in a container or on another machine, as text for a shell."""
    verbs, valued, detached = _REMOTE_RUNNERS.get(name, ("", "", ""))
    at = past_options(words, 1, valued)
    while verbs and words[at : at + 1] in {("compose",), ("container",)}:
        at = past_options(words, at + 1, valued)
    if name not in _REMOTE_RUNNERS or (verbs and not {*words[at : at + 1]} & {*verbs.split()}):
        return ""
    host_at = past_options(words, at + 1, valued) if verbs else at
    if any(re.fullmatch(detached, word) for word in words[:host_at]):
        return ""
    arguments = words[past_options(words, host_at + 1, "") :]
    return " ".join(arguments) if name == "ssh" else shlex.join(arguments)


def _has_own_option(words: tuple[str, ...], option: str) -> bool:
    """Say whether a program has an option itself, and not the script that it runs."""
    head = words[: words.index(option)] if option in words else ()
    # what stands behind an option may be its value
    return bool(head) and all(
        word.startswith("-") or previous.startswith("-") for previous, word in pairwise(head)
    )


@lru_cache(maxsize=2048)  # every reader of a command asks for it
def verb(command: Command) -> str:
    """Name what one command does: program and subcommand ("go test", "mise run lint"), or ""."""
    words = _unwrap(command.words)
    if not words:
        return ""
    name = words[0].rsplit("/", 1)[-1]
    if name not in _WITH_VERBS:
        test_verb = f"{name} --test"
        return test_verb if test_verb in _CHECKERS and _has_own_option(words, "--test") else name
    verbs = [
        word
        for previous, word in pairwise(words)
        if word[:1] not in {"-", "+"}
        and word not in _YARN_PLACES
        and previous not in _VALUED_OPTIONS
    ]
    count = 2 if verbs and verbs[0] in _TWO_VERBS else 1
    return " ".join([name, *verbs[:count]])


def _find_working_commands(text: str) -> tuple[Command, ...]:
    """Leave out filters and what only changes the shell, unless there is nothing else."""
    commands = tuple(command for command in parse_commands(text) if _unwrap(command.words))
    working = tuple(c for c in commands if not c.is_filter and verb(c) not in _QUIET_VERBS)
    return working or commands[:1]


def describe_action(text: str) -> str:
    """Name what a command line does, the same for its variants; "" for an empty one."""
    return " && ".join(dict.fromkeys(verb(command) for command in _find_working_commands(text)))


def is_check_command(command: Command) -> bool:
    """Say whether one command tests, lints, type-checks or builds."""
    for _ in range(_MAX_SHELL_DEPTH):
        command = _find_status_command(command) or command
    if " ".join(command.words) in _NO_CHECKS or not _TELLING_OPTIONS.isdisjoint(command.words):
        return False
    name, _, arguments = verb(command).partition(" ")
    if name in {"test", "git", "gh", "glab", "kubectl", "brew", "apt", "docker"}:
        return False
    # `yarn jest` and `php vendor/bin/pest` run it
    words = [word.rsplit("/", 1)[-1] for word in (arguments or name).split()]
    return not _CHECKERS.isdisjoint({f"{name} {arguments}", name, *words}) or any(
        map(_CHECK_VERB.search, words)
    )


def is_check(text: str) -> bool:
    """Say whether a command line tests, lints, type-checks or builds."""
    return any(is_check_command(command) for command in _find_working_commands(text))


def is_quiet(command: Command) -> bool:
    """Say whether a command only changes the shell or prints."""
    return not _unwrap(command.words) or verb(command) in _QUIET_VERBS


def runs_program(text: str) -> bool:
    """Say whether a command line runs code whose uncaught exception would be a failure."""
    return any(verb(command).split(" ")[0] in _PROGRAMS for command in _find_working_commands(text))


def hides_status(text: str) -> bool:
    """Say whether the exit status seen need not be that of the work: a pipe, `;`, `||` or `&`."""
    return any(
        command.operator in {"|", "|&", ";", "\n", "||", "&"} for command in parse_commands(text)
    )


def is_question(text: str, *, has_output: bool) -> bool:
    """Say whether exit status 1 is this command line's answer "no".

    With `has_output` each must be a question: in `a && grep` `a` may have printed it and failed.
    """
    verbs = [verb(command) for command in _find_working_commands(text)]
    last_verb = [verb(command) for command in parse_commands(text)][-1:]
    answers = [
        name in _QUESTION_VERBS or name.split(" ")[0] in _QUESTIONS for name in [*verbs, *last_verb]
    ]
    return bool(answers) and (all(answers[:-1] or answers) if has_output else any(answers))
