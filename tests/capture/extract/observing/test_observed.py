"""A session read once: who speaks, what became of commits, how checks ended."""

from talk import bash, call, commit, edit, refused, say, steer, transcript, turn

from memoria.capture.extract.observed import observe


def spoken(observed):
    return [(one.speaker, one.place, one.turn, one.step, one.text) for one in observed.texts]


def test_each_text_has_its_speaker_and_place():
    asked = call(
        "AskUserQuestion",
        '"Which lock?"="a token"',
        questions='[{"question": "Which lock?", "options": [{"label": "Lease"}]}]',
    )
    found = observe(
        transcript(
            turn("fix the worker", say("I look."), refused("Edit", "not there", file_path="x")),
            turn("/review the lock", steer("and the lock"), asked, say("Done. It holds.")),
            turn("<local-command-stdout>x</local-command-stdout>"),
            turn("Implement the following plan:\n\n# Lease\nUse it."),
        )
    )
    assert spoken(found) == [
        ("user", "prompt", 0, 0, "fix the worker"),
        ("assistant", "closing", 0, 0, "I look."),
        ("user", "refusal", 0, 2, "not there"),
        ("command", "prompt", 1, 0, "/review the lock"),
        ("user", "steer", 1, 1, "and the lock"),
        ("user", "answer", 1, 2, "a token"),
        ("assistant", "closing", 1, 2, "Done. It holds."),
        ("harness", "prompt", 2, 0, "<local-command-stdout>x</local-command-stdout>"),
        ("plan", "prompt", 3, 0, "# Lease\nUse it."),
    ]


def test_what_is_handed_on_is_not_the_users():
    (own, other) = observe(transcript(turn("please address this feedback:\nX is unused."))).texts
    assert (own.speaker, other.speaker) == ("user", "pasted")
    assert other.text == "X is unused."


def test_wrapped_lines_are_joined_before_sentences_are_parted():
    told = observe(transcript(turn("go", say("The lease is\nheld. It\nexpires.\n\n- one\n- two"))))
    (text,) = told.turns[0].texts[1:]
    assert [one.text for one in text.sentences] == [
        "The lease is held.",
        "It expires.",
        "one",
        "two",
    ]
    assert [one.form for one in text.sentences] == ["paragraph", "paragraph", "item", "item"]


def test_a_commits_message_is_joined_and_its_fate_is_told():
    message = "Hold the lease\n\nThe worker lost it\nat night.\n\n- one item\n  goes on"
    found = observe(
        transcript(
            turn("go", edit("/home/ana/shop/a.py"), commit(message)),
            turn("again", bash("git commit --amend -m 'Keep it'", "[lease 2b3c4d5] Keep it")),
            turn("no", bash("git reset --soft HEAD~1"), commit("Drop it")),
        )
    )
    first, *_ = found.commits
    assert (first.subject, first.sha) == ("Hold the lease", "1a2b3c4")
    assert first.body == "The worker lost it at night.\n\n- one item goes on"
    assert [one.fate for one in found.commits] == ["amended", "reverted", "kept"]
    assert [one.subject for one in found.kept] == ["Drop it"]
    assert found.files == ("a.py",)


def test_a_check_has_its_runs_in_order():
    found = observe(
        transcript(
            turn("go", bash("go test ./...", "Exit code 1\nFAIL", error=True)),
            turn("go", bash("cd x && go test ./... ", "ok  x 0.1s"), bash("go vet", "")),
        )
    )
    test, vet = found.checks
    assert (test.name, test.last) == ("go test", "passed")
    assert [run.outcome.state for run in test.runs] == ["failed", "passed"]
    assert (vet.name, vet.last) == ("go vet", "passed")
