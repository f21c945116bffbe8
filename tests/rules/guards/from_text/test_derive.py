import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.guards.act import act
from memoria.rules.guards.check import parsed, written
from memoria.rules.guards.from_text.derive import derived, proposed, settled
from memoria.rules.guards.from_text.everyday_names import CODE
from memoria.rules.guards.judge import judged, refused, remembered

ROOT = "/home/ana/shop"


def run(text):
    return act("Bash", {"command": text}, ROOT)


def edit(path, new="x = 1", old=""):
    given = {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new}
    return act("Edit", given, ROOT)


def write(path, text="x = 1"):
    return act("Write", {"file_path": f"{ROOT}/{path}", "content": text}, ROOT)


def read(path):
    return act("Read", {"file_path": f"{ROOT}/{path}"}, ROOT)


def through(check, *acts):
    """Judge acts one after the other; give what is said of the last."""
    memory, said = (), ""
    for one in acts:
        said = judged(check, one, memory)
        memory = remembered(check, one, memory)
    return said


# rule, what keeps it, what breaks it, what is none of its business
FORMS = [
    ("never push with --force", "git push", "cd x && git push -f origin main", "git pull -f"),
    ("Never use `git push --force`.", "git push --force-with-lease", "git push --force", "ls"),
    ("Don't force push", "git push", "git push origin +main", "git fetch --force"),
    ("Do not push directly to main", "git push origin fix", "git push origin main", "git log main"),
    ("NEVER amend commits", "git commit -m x", "git commit --amend --no-edit", "git log"),
    ("Never skip pre-commit hooks", "git commit -m x", "git commit --no-verify -m x", "git add ."),
    ("Never run `rm -rf`", "rm a.txt", "rm -rf build", "ls -rf"),
    ("Don't use `git add .`; add files by name", "git add a.py", "git add .", "git commit ."),
    ("don't ever run git reset --hard", "git reset a.py", "git reset --hard HEAD~1", "git log"),
    ("Never use git stash", "git log", "git stash pop", "stash"),
    ("We don't use npm here", "ls", "npm ci", None),
    ("never use sudo", "apt-get update", "sudo apt-get update", None),
    ("use uv, not pip", "uv add httpx", "python -m pip install httpx", "ls"),
    ("Use pnpm instead of npm or yarn", "pnpm i", "yarn add left-pad", "git log"),
    ("Always use pnpm as the package manager", "pnpm add x", "npm install x", "npm view x"),
    ("Use `docker compose`, not `docker-compose`", "docker compose up", "docker-compose up", "ls"),
    ("Prefer `rg` over `grep` where possible.", "rg word", "grep -rn word .", "ls"),
    ("Never use `npm test`; use `pnpm test` instead", "pnpm test", "npm test", "npm ci"),
    ("Use uv, not pip: pip knows nothing of the lock", "uv sync", "pip install x", "ls"),
    ("Always run the tests with `make test`, it starts a database", "make test", "go test", "ls"),
    ("Use `make check` rather than `pytest`", "make check", "pytest -q", "make build"),
    ("Use `uv run pytest` instead of `pytest`", "uv run pytest -q", "pytest -q", "uv run ruff"),
    ("Run python scripts with `uv run`", "uv run python a.py", "python3 a.py", "ls"),
    ("Use --force-with-lease instead of --force when pushing", None, None, "git push --force"),
    ("Use git push --force-with-lease instead of --force", "git push", "git push --force", "ls"),
    ("Always use `git pull --rebase`", "git pull --rebase", "git pull", "git push"),
    ("Never run `docker build` without `--pull`", "docker build --pull .", "docker build .", "ls"),
    ("never commit .env files", "git add a.py", "git add .env", "git commit .env"),
    (
        "Don't add Co-Authored-By lines to commits",
        "git commit -m 'Fix it'",
        "git commit -m \"$(cat <<'EOF'\nFix it\n\nCo-Authored-By: Claude <a@b>\nEOF\n)\"",
        "git log --author=Claude",
    ),
]


@pytest.mark.parametrize(("rule", "kept", "broken", "other"), FORMS)
def test_rules_that_name_commands(rule, kept, broken, other):
    found = derived(rule)
    if kept is None:
        assert found is None
        return
    assert judged(found.check, run(kept)) in {"kept", ""}
    assert judged(found.check, run(broken)) == "broken"
    if other:
        assert judged(found.check, run(other)) == ""
    assert found.reason


FILES = [
    ("do not edit files under vendor/", edit("src/a.go"), edit("vendor/x/a.go")),
    ("Don't touch package-lock.json", edit("package.json"), write("web/package-lock.json")),
    ("Never modify `migrations/` manually", edit("a.py"), run("echo > migrations/1.sql")),
    ("no console.log", edit("a.ts", "log()"), edit("a.ts", "console.log(1)")),
    ("Do not leave `console.log` in production code.", edit("a.js"),
     edit("a.js", "console.log(1)")),
    ("never use `any`", edit("a.ts", "x: many"), edit("a.ts", "x: any;")),
    ("Never use `as any` - narrow the type", edit("a.ts"), edit("a.ts", "(x as any)")),
    ("Use logger instead of console.log", edit("a.ts", "log()"), edit("a.ts", "console.log(1)")),
    ("Never use `interface{}`", edit("a.go", "any"), edit("a.go", "x interface{}")),
    ("Do not create markdown files", write("a.py"), write("docs/PLAN.md")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "kept", "broken"), FILES)
def test_rules_that_name_files_and_code(rule, kept, broken):
    check = derived(rule).check
    assert judged(check, kept) == "kept"
    assert judged(check, broken) == "broken"


def test_what_stood_there_before_is_not_written():
    check = derived("no console.log").check
    old = "console.log(1)"
    assert judged(check, edit("a.ts", f"{old}\nx()", old)) == "kept"
    assert judged(check, act("Write", {"file_path": "/tmp/a.ts", "content": old}, ROOT)) == ""


BEFORE = [
    ("run the tests before committing", "npm run test:unit", "git commit -m x"),
    ("Ensure all tests pass before pushing", "go test ./...", "git push"),
    ("Never commit without running the linter", "uv run ruff check", "git commit -am x"),
    ("always npx tsc --noEmit before commit", "pnpm exec tsc --noEmit", "git commit -m x"),
    ("Always run `npx tsc --noEmit`", "npx tsc --noEmit", "git commit -m x"),
    ("Check: `cd app && npm run build && npm run lint` before each commit", "npm run build",
     "git commit"),
    ("Run `make lint` after making changes", "make lint", "git commit -m x"),
    ("Before opening a PR, run the type checker", "npm run typecheck", "gh pr create"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "first", "then"), BEFORE)
def test_rules_that_demand_something_first(rule, first, then):
    check = derived(rule).check
    changed, deed = edit("src/a.ts"), run(then)
    assert through(check, changed, run(first), deed) == "kept"
    assert through(check, run(first), changed, deed) == "broken"
    # what changes no program needs no test of it
    assert through(check, edit("README.md"), deed) == "kept"


def test_a_file_is_read_first():
    check = derived("read a file before editing").check
    assert through(check, edit("a.py")) == "broken"
    assert through(check, read("a.py"), edit("a.py")) == "kept"
    assert through(check, write("a.py"), edit("a.py")) == "kept"
    assert through(check, read("b.py"), edit("a.py")) == "broken"


@pytest.mark.parametrize(
    "rule",
    [
        # a condition that no call shows
        "never push unless I ask",
        "Never run `npm publish` unless asked",
        "Use uv, not pip, except on Windows",
        "When writing tests, use pytest not unittest",
        "Never use `console.log` in tests",
        "Do not run `npm ci` directly in the mounted workspace",
        "Don't use `git add .`. However, it is fine in scratch repositories.",
        # nothing that a call shows
        "Prefer plain functions over classes",
        "Use pytest for tests that mean something.",
        "Never commit straight to main",
        "Never use recursive make",
        "Do not use make.",
        "Always verify information before presenting it.",
        "Use yarn",
        "Ask `Router.query()`, never look into `location.search` by hand",
        "Only wire up files that exist. Don't add `@<path>`",
        "Use `async Task` and never `async void`.",
        "Never use pure black text",
        "Don't use the word 'make'",
        "Log out before you go",
        "",
    ],
)
def test_what_gives_no_check(rule):
    assert derived(rule) is None
    assert settled(rule) is None


def test_a_reason_and_politeness_change_nothing():
    plain = derived("never force push").check
    for text in (
        "Please never force push, because others work on the branch.",
        "IMPORTANT: Never force push to a branch; it rewrites history",
        "- **Never force push!**",
        "From now on never force push in this repo",
    ):
        assert derived(text).check == plain


WORDS = ["never", "use", "always", "run", "before", "commit", "not", "`git push --force`", "pip",
         "uv", "instead of", "--force", "vendor/", "`any`", "tests", "unless", "with", ",", ".",
         "`", "{0}", "{", "}", "a file", "read", "edit", "`rm -rf /`", "`*`", "don't"]  # fmt: skip


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)))
def test_whatever_is_derived_is_a_sound_check(text):
    found = derived(text)
    if found is None:
        return
    assert parsed(json.loads(json.dumps(written(found.check)))) == found.check
    assert not refused(found.check)
    assert derived(text) == found
    assert "unless" not in text


def test_what_an_engine_proposed_comes_first():
    own = {"occasion": {"command": ["git push"]}, "broken": {"with": ["--mirror"]}}
    assert written(settled("never force push", json.dumps(own))) == own
    check, why = proposed(json.dumps({"occasion": {"tools": ["Bash"]}}))
    assert check is None
    assert "refuse nearly every call" in why
    for bad in ("{", "[]", "1", '{"occasion": {"command": "git push", "regex": ["("]}}'):
        check, why = proposed(bad)
        assert check is None
        assert why
        assert settled("never force push", bad) == derived("never force push").check
    assert proposed("") == (None, "")


@pytest.mark.parametrize("part", ["x", "x ", "a, ", "tests and ", "all the ", "`a`, ", "-", "x/"])
@pytest.mark.parametrize(
    "head", ["Use pnpm ", "Never edit ", "Always run ", "No ", "Before a commit "]
)
def test_a_text_without_an_end_is_read_all_the_same(head, part):
    # a pattern that can part the same words in many ways would not come back within a lifetime
    assert derived((head + part * 400)[:399] + " instead of") is None


@pytest.mark.parametrize("code", CODE)
def test_a_piece_of_code_is_no_command(code):
    made = derived(f"Never use `{code}`")
    assert made is None or "path" in written(made.check)["occasion"]
