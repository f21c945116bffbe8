"""What was done with the tools: only what really happened counts."""

import pytest
from talk import bash, call, commit, edit, refused, say, transcript, turn

from memoria.capture.extract.work import is_trunk, work


def done(*steps, **session):
    return work(transcript(turn("go", *steps), **session))


def test_files_are_counted_by_their_successful_edits():
    found = done(
        edit("/home/ana/shop/app/queue.py"),
        edit("/home/ana/shop/app/lease.py"),
        edit("/home/ana/shop/app/lease.py"),
        call("Edit", "no match", error=True, file_path="/home/ana/shop/app/gone.py"),
        call("Write", answered=False, file_path="/home/ana/shop/app/open.py"),
        call("Read", "x", file_path="/home/ana/shop/app/read.py"),
    )
    assert found.files == ("app/lease.py", "app/queue.py")
    assert found.busy == {0}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("C:\\Users\\ana\\shop\\app\\queue.py", "app/queue.py"),
        ("c:\\users\\ana\\shop\\app\\queue.py", "app/queue.py"),
        ("C:\\Users\\ana\\AppData\\Local\\Temp\\x.py", ""),
        ("D:\\other\\a\\b\\c\\queue.py", "a/b/c/queue.py"),
        ("/tmp/x.py", ""),
        ("C:\\Users\\ana\\.claude\\plans\\x.md", ""),
        ("C:\\Users\\ana\\shop\\.claude\\skills\\lease\\SKILL.md", ".claude/skills/lease/SKILL.md"),
        ("C:\\Users\\ana\\shop\\docs\\plans\\lease.md", ""),
    ],
)
def test_paths_are_relative_and_scratch_is_none_of_the_work(path, shown):
    assert done(edit(path), cwd="C:\\Users\\ana\\shop").files == ((shown,) if shown else ())


def test_a_commit_has_subject_body_and_scope_without_trailers():
    (made,) = done(
        commit("fix(queue): keep the lease\n\nThe clock jumped.\n\nCo-Authored-By: x <y@z>")
    ).commits
    assert (made.subject, made.body, made.scope, made.branch) == (
        "fix(queue): keep the lease", "The clock jumped.", "queue", "lease",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "subject"),
    [
        ('git add -A && git commit -m "Keep it" -m "A reason"', "Keep it"),
        ("git -C app commit -am 'Keep it'", "Keep it"),
        ("git commit --amend --no-edit", "As git says"),
        ("git commit -F - <<EOF\nKeep it\nEOF", "Keep it"),
    ],
)
def test_a_message_is_read_from_the_command_or_what_git_printed(command, subject):
    found = done(bash(command, "[lease 1a2b3c4] As git says\n 1 file changed"))
    assert [one.subject for one in found.commits] == [subject]


@pytest.mark.parametrize(
    "step",
    [
        bash('echo "git commit -m x"', "git commit -m x"),
        bash('git commit -m "x"', "nothing to commit"),
        bash('git commit -m "x"', "Exit code 1\n[lease 1a2b3c4] x", error=True),
        bash('cd $(mktemp -d) && git init && git commit -m "x"', "[main (root-commit) 1a2b3c4] x"),
    ],
)
def test_what_git_did_not_commit_here_is_no_commit(step):
    assert done(step).commits == ()


def test_an_amended_or_reset_commit_is_undone():
    amended = done(commit("One"), bash('git commit --amend -m "Two"', "[lease 2b3c4d5] Two"))
    reset = done(commit("One"), commit("Two"), bash("git reset --hard HEAD~1", "HEAD is now at"))
    assert [one.subject for one in amended.commits] == ["Two"]
    assert [one.subject for one in reset.commits] == ["One"]


def test_housekeeping_is_told_from_work():
    subjects = ("Merge main", "fix lint", "Address review comments", "chore: bump x", "Keep leases")
    made = done(*(commit(subject) for subject in subjects)).commits
    assert [one.is_housekeeping for one in made] == [True, True, True, True, False]


def test_pull_requests_come_from_the_command_and_the_client():
    url = "https://github.com/ana/shop/pull/7"
    found = done(
        bash(f'gh pr create --title "Keep leases" --body "x"', url),  # noqa: F541 - reads alike
        pull_requests=(url, "https://github.com/ana/shop/pull/8"),
    )
    assert [(one.title, one.number) for one in found.pull_requests] == [
        ("Keep leases", "7"),
        ("", "8"),
    ]


def test_the_branch_is_where_work_was_done_last():
    session = transcript(
        turn("a", edit("/home/ana/shop/x.py"), branch="lease"),
        turn("b", say("It is so."), branch="main"),
    )
    assert work(session).branch == "lease"
    new = turn("a", bash("git checkout -b token", "ok"), edit("/home/ana/shop/x.py"), branch="main")
    assert work(transcript(new)).branch == "token"
    assert work(transcript(turn("a", branch="idle"))).branch == "idle"


def test_a_check_counts_by_how_it_ended_last():
    found = done(
        bash("cd app && make test 2>&1 | tail -5", "--- FAIL: lease\nFAIL"),
        bash("npm run lint", "ok"),
        bash("make test", "ok"),
        bash("pytest tests/test_lease.py -k renew", "1 passed"),
        refused("Bash", "too slow", command="make build"),
        bash("ls", "x"),
    )
    assert found.checks == (("npm run lint", True), ("make test", True))


def test_a_check_that_fails_behind_a_pipe_has_failed():
    assert done(bash("make test | tail -5", "--- FAIL: TestLease (0.00s)\nFAIL")).checks == (
        ("make test", False),
    )


@pytest.mark.parametrize("branch", ["main", "next", "develop", "HEAD", ""])
def test_a_trunk_names_no_work(branch):
    assert is_trunk(branch)
    assert not is_trunk("lease-fix")


def test_no_turns_no_work():
    assert work(transcript()).files == ()


@pytest.mark.parametrize("piece", ["<<EOF\n", 'git commit -m "', "a", " ", "git reset "])
def test_a_flood_in_a_command_is_read_in_linear_time(piece):
    flood = (piece * 100_000)[:100_000]
    done(bash(f"git commit -m {flood}", "[lease 1a2b3c4] x"), bash(f"gh pr create {flood}", flood))
