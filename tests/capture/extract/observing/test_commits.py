"""Commits through wrappers, without a hash and behind pipes; what became of each."""

import pytest
from cases import cased
from talk import bash, call, commit, edit, steps, transcript, turn

from memoria.capture.extract.observed import observe


def made(*steps):
    return observe(transcript(turn("go", *steps))).commits


def shown(*steps):
    return [(one.subject, one.fate) for one in made(*steps)]


HASHED = "[lease 1a2b3c4] As git says\n 1 file changed"


@cased()
def test_a_commit_counts_when_its_call_succeeded(command, result, subject):
    assert [one.subject for one in made(bash(command, result))] == [subject]


@cased()
def test_what_git_did_not_commit_here_is_no_commit(row):
    assert made(*steps(row)) == ()


def test_a_hidden_commit_counts_once_the_history_shows_it():
    hidden = bash("git commit -qm 'Keep it' | cat", "")
    assert shown(hidden, bash("git log --oneline -1", "1a2b3c4 Keep it")) == [("Keep it", "kept")]


def test_a_message_is_read_from_the_file_that_was_written_for_it():
    wrote = call("Write", "ok", file_path="/x/msg", content="Keep it\n\nThe clock\njumped.")
    (one,) = made(wrote, bash("git commit -F /x/msg", HASHED))
    assert (one.subject, one.body) == ("Keep it", "The clock jumped.")
    document = bash("cat > msg <<'EOF'\nKeep all\nEOF\ngit commit -F msg", HASHED)
    assert [one.subject for one in made(document)] == ["Keep all"]


def test_trailers_are_no_part_of_a_message():
    (one,) = made(
        commit("fix(queue): keep the lease\n\nThe clock jumped.\n\nCo-Authored-By: x <y@z>")
    )
    assert (one.body, one.scope, one.branch) == ("The clock jumped.", "queue", "lease")


def test_each_commit_of_a_call_is_told():
    command = 'git commit -m "One" && git add b && git commit -m "Two" -m "A reason."'
    named = "[lease 1a2b3c4] One\n 1 file changed\n[lease 2b3c4d5] Two\n 1 file changed"
    both = [(one.subject, one.body, one.sha) for one in made(bash(command, named))]
    assert both == [("One", "", "1a2b3c4"), ("Two", "A reason.", "2b3c4d5")]


def test_the_message_of_what_comes_behind_a_commit_is_not_its_own():
    (one,) = made(bash('git commit -m "Keep it" && git tag -a v1 -m "Release 1"', HASHED))
    assert (one.subject, one.body) == ("Keep it", "")
    page = call("Write", "ok", file_path="/x/page", content="What it changes")
    (one,) = made(page, bash("git commit -m 'Keep it' && gh pr create -F /x/page", HASHED))
    assert one.subject == "Keep it"


def test_what_became_of_a_commit_is_told():
    first = commit("One\n\nA reason.")
    second = bash("git commit -m Two", "[lease 2b3c4d5] Two")
    assert shown(first, bash("git commit --amend -m Two", "[lease 2b3c4d5] Two")) == [
        ("One", "amended"),
        ("Two", "kept"),
    ]
    kept = made(first, bash("git commit --amend --no-edit", "[lease 2b3c4d5] One"))
    assert kept[-1].body == "A reason."
    assert shown(first, second, bash("git reset --hard HEAD~1")) == [
        ("One", "kept"),
        ("Two", "reverted"),
    ]
    assert shown(first, second, bash("git reset --hard 1a2b3c4"))[1] == ("Two", "reverted")
    assert shown(first, second, bash("git revert --no-edit 1a2b3c4"))[0] == ("One", "reverted")
    assert shown(first, bash("git reset HEAD~1", "Exit code 1", error=True)) == [("One", "kept")]


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


@pytest.mark.parametrize("piece", ["<<EOF\n", 'git commit -m "', "a", " ", "git reset "])
def test_a_flood_in_a_command_is_read_in_linear_time(piece):
    flood = (piece * 100_000)[:100_000]
    made(bash(f"git commit -m {flood}", HASHED), bash(f"gh pr create {flood}", flood))
