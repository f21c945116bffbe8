from talk import call, edit, transcript, turn

from memoria.stages.sample import MOST, edits, samples, settled

CLAIM = '''async def claim(session, order):
    """Insert the payment row before the card is charged."""
    row = {"order": order.id}
    statement = insert(Payment).values(**row)
    payment = await session.scalar(statement)
    if payment is None:
        return await winner(session, order)
    return payment'''
SENTENCE = "The payment row is inserted first, and the winner of the insert charges the card."
ROOT = "/home/ana/shop/"


def write(path, content):
    return call("Write", "created", file_path=ROOT + path, content=content)


def made(*steps, files=("app/claim.py", "tests/test_claim.py", "b.py", "README.md")):
    return edits(transcript(turn("go", *steps)), files)


def chosen(*steps, sentences=(SENTENCE,), mended=()):
    return samples(made(*steps), sentences, mended)


def test_what_was_written_is_shown_with_the_sentence_it_shows():
    (one,) = chosen(write("app/claim.py", CLAIM))
    assert one.file == "app/claim.py"
    assert one.shown == f"```python\n{CLAIM}\n```"
    assert one.caption == SENTENCE


def test_a_sentence_is_a_caption_once_and_never_of_another_file():
    found = chosen(write("app/claim.py", CLAIM), write("b.py", CLAIM.replace("claim", "other")))
    assert [one.caption for one in found].count(SENTENCE) == 1
    other = f"`elsewhere.py`: {SENTENCE}"
    assert chosen(write("app/claim.py", CLAIM), sentences=[other])[0].caption == ""


def test_a_small_change_is_shown_as_a_diff():
    old = CLAIM.replace("row = {", "line = {")
    (one,) = chosen(edit(ROOT + "app/claim.py", old, CLAIM))
    assert '\n-     row = {"order": order.id}' not in one.shown
    assert '\n-     line = {"order": order.id}\n+     row = {"order": order.id}\n' in one.shown
    assert one.shown.startswith("```diff\n")


def test_what_a_later_edit_changed_is_shown_as_it_is_at_the_end():
    later = edit(ROOT + "app/claim.py", "return payment", "return Paid(payment)")
    (one,) = chosen(write("app/claim.py", CLAIM), later)
    assert "return Paid(payment)" in one.shown
    assert "return payment\n" not in one.shown


def test_what_was_written_over_is_gone():
    first, second = write("app/claim.py", CLAIM), write("app/claim.py", "x = 1\ny = 2\nz = 3")
    assert [one.new for one in settled(made(first, second))] == ["x = 1\ny = 2\nz = 3"]
    undone = edit(ROOT + "app/claim.py", f"import a\n{CLAIM}\n", "pass")
    assert [one.new for one in settled(made(write("app/claim.py", CLAIM), undone))] == ["pass"]


def test_a_change_that_mended_an_error_comes_before_others():
    fix = edit(ROOT + "b.py", "a = 1\nb = 2\nc = 3", "a = 1\nb = aware(2)\nc = 3")
    found = chosen(fix, sentences=[], mended=["- b = 2\n+ b = aware(2)"])
    assert [one.file for one in found] == ["b.py"]
    assert chosen(fix, sentences=[]) == ()


def test_tests_and_documents_come_last():
    steps = [
        write("tests/test_claim.py", CLAIM),
        write("README.md", CLAIM),
        write("app/claim.py", CLAIM),
    ]
    assert chosen(*steps)[0].file == "app/claim.py" or len(chosen(*steps)) == 1


def test_a_long_file_is_parted_at_its_blocks():
    long = "\n\n".join([f"def other_{n}():\n    return {n}\n" for n in range(20)] + [CLAIM])
    found = chosen(write("app/claim.py", long))
    assert any("async def claim" in one.shown for one in found)
    assert all(one.shown.count("\n") <= 28 for one in found)


def test_an_argument_that_was_cut_shows_only_whole_lines():
    cut = f"{CLAIM}\nhalf a li\n[... 900 characters left out ...]\nf a line\n{CLAIM}\n"
    for one in chosen(write("app/claim.py", cut)):
        assert "left out" not in one.shown
        assert "half a li" not in one.shown


def test_few_lines_imports_and_other_files_are_no_samples():
    assert chosen(write("app/claim.py", "x = 1")) == ()
    assert chosen(write("app/claim.py", "import payment\nimport row\nimport card\n")) == ()
    assert chosen(write("elsewhere.py", CLAIM)) == ()
    failed = call("Write", "no", error=True, file_path=ROOT + "app/claim.py", content=CLAIM)
    assert chosen(failed) == ()


def test_several_edits_of_one_call_are_several():
    both = '[{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]'
    steps = call("MultiEdit", "ok", file_path=ROOT + "b.py", edits=both)
    assert [(one.old, one.new) for one in made(steps)] == [("a", "b"), ("c", "d")]
    assert made(call("MultiEdit", "ok", file_path=ROOT + "b.py", edits="[{")) == ()


def test_there_are_not_too_many():
    files = tuple(f"f{n}.py" for n in range(9))
    steps = [write(name, CLAIM.replace("claim", f"claim_{name[:2]}")) for name in files]
    assert len(samples(made(*steps, files=files), [SENTENCE], ())) == MOST
