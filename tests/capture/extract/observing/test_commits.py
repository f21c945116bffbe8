"""Commits through wrappers, without a hash and behind pipes; what became of each."""

from dataclasses import replace

import pytest
from cases import cased
from talk import bash, commit, edit, steps, transcript, turn

from memoria.capture.extract.observed import observe
from memoria.capture.extract.observing.finished_work import find_finished_work


def made(*steps):
    return observe(transcript(turn("go", *steps))).commits


HASHED = "[lease 1a2b3c4] As git says\n 1 file changed"


@cased()
def test_a_commit_counts_when_its_call_succeeded(command, result, subject):
    assert [one.subject for one in made(bash(command, result))] == [subject]


@cased()
def test_what_git_did_not_commit_here_is_no_commit(row):
    assert made(*steps(row)) == ()


@cased()
def test_the_commits_of_a_session(rows, expected):
    commits = made(*steps(*rows))
    assert [(one.subject, one.body, one.fate, one.branch, one.sha) for one in commits] == expected


def test_trailers_are_no_part_of_a_message():
    (one,) = made(
        commit("fix(queue): keep the lease\n\nThe clock jumped.\n\nCo-Authored-By: x <y@z>")
    )
    assert (one.body, one.scope, one.branch) == ("The clock jumped.", "queue", "lease")


@cased()
def test_paths_are_relative_and_scratch_is_none_of_the_work(path, relative):
    seen = observe(transcript(turn("go", edit(path)), cwd="C:\\Users\\ana\\shop"))
    assert seen.files == ((relative,) if relative else ())


def test_files_branch_and_pull_requests():
    url = "https://github.com/ana/shop/pull/7"
    seen = observe(
        transcript(
            turn("a", edit("/home/ana/shop/q.py"), edit("/home/ana/shop/x.py"), branch="lease"),
            turn("b", edit("/home/ana/shop/x.py"), bash("git switch -c token"), branch="main"),
            turn("c", bash('gh pr create --title "Keep leases"', url), branch="idle"),
            pull_requests=(url, "https://github.com/ana/shop/pull/8"),
        )
    )
    assert (seen.files, seen.branch, seen.busy) == (("x.py", "q.py"), "token", {0, 1})
    assert [(one.title, one.number) for one in seen.pull_requests] == [
        ("Keep leases", "7"),
        ("", "8"),
    ]


def test_git_names_the_branch_where_the_client_knows_the_one_of_the_start():
    work = turn("go", edit("x.py"), commit("Keep leases", "lease"), branch="main")
    assert observe(transcript(work, turn("thanks", branch="main"))).branch == "lease"
    later = turn("more", edit("y.py"), branch="token")
    assert observe(transcript(work, later)).branch == "token"


@pytest.mark.parametrize(
    ("command", "printed", "branch"),
    [
        ("git status", "On branch token\nnothing to commit", "token"),
        ("git fetch && git status -sb", "## token...origin/token [ahead 1]\n M x.py", "token"),
        ("git status -sb", "## token\n M x.py", "token"),
        ("git checkout token", "Switched to branch 'token'", "token"),
        ("git status; git switch main", "On branch token\nSwitched to branch 'main'", "main"),
        ("git -C ../other status", "On branch token", "lease"),  # another folder's
        ("git status && cat README.md", "On branch lease\n## Tokens\n## Words", "lease"),
        ("cat notes.md", "On branch token", "lease"),
        ("git status && cat notes.md", "On branch lease\nOn branch token", "lease"),
        ("git status; ./x.sh", "On branch lease\nSwitched to branch 'token'", "lease"),
        ("git status $(cat notes.md) | tee x", "On branch token", "lease"),
        ("cd ../other\ngit status", "On branch token", "lease"),
        ("git status\ngit show HEAD:notes.md", "On branch token", "lease"),
    ],
)
def test_what_git_printed_last_is_newer_than_the_branch_of_a_session_s_start(
    command, printed, branch
):
    work = turn("go", edit("x.py"), bash(command, printed), branch="lease")
    of_codex = replace(transcript(work), agent="codex")
    assert observe(of_codex).branch == branch
    # a client that tells the branch with each turn, or each line, knows better
    before = turn("first", edit("x.py"), branch="main")
    assert observe(replace(of_codex, turns=(before, work))).branch == "lease"
    assert observe(transcript(work)).branch == "lease"


@pytest.mark.parametrize(
    "piece", ["<<EOF\n", 'git commit -m "', "a", " ", "git reset ", " --a", "gh pr merge --a "]
)
def test_a_flood_in_a_command_is_read_in_linear_time(piece):
    flood = (piece * 100_000)[:100_000]
    made(bash(f"git commit -m {flood}", HASHED), bash(f"gh pr create {flood}", flood))
    find_finished_work(observe(transcript(turn("go", bash(f"gh pr merge{flood} x", flood)))))


@cased()
def test_an_open_item_is_closed_by_what_a_session_saw_done(
    text, context, command, result, is_closed
):
    ended = observe(transcript(turn("go", bash(command, result))))
    assert find_finished_work(ended).closes(text, context) is is_closed
    failed = observe(transcript(turn("go", bash(command, result, error=True))))
    assert not find_finished_work(failed).closes(text, context)
