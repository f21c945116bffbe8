"""What stands around a chosen sentence belongs into its line."""

from dataclasses import replace

from memoria.capture.extract.exchanges.reply_lines import (
    LENGTH,
    Wanted,
    completed,
    digest,
    is_change,
    is_recap,
    is_thin,
)
from memoria.capture.extract.sentences import passage, stems
from memoria.text.prose import units

ANYTHING = Wanted(
    words=stems("renew the lease"),
    verb="renew",
    opinion=False,
    order=True,
    pointing=False,
    polar=False,
    borrowed=False,
    said=set(),
    closed=[],
)


def line(markdown, number=0):
    text = passage(markdown)
    return completed(text.sentences[number], text.units)


def test_a_colon_takes_its_list_along():
    assert line(
        "The worker does two things in a row:\n- renews the lease.\n- drops it\n\nEnd."
    ) == ("The worker does two things in a row: Renews the lease; Drops it")


def test_a_colon_takes_the_first_cells_of_a_table():
    assert line(
        "Three things are still missing in the worker of the shop:\n\n"
        "| what | why |\n|---|---|\n| lease | x |\n| lock | y |"
    ) == ("Three things are still missing in the worker of the shop: Lease; Lock")


def test_a_short_item_takes_its_siblings():
    assert line("- `renew` is called twice\n- `drop` is never called\n") == (
        "`renew` is called twice; `drop` is never called"
    )


def test_a_list_of_names_takes_what_was_done_with_them():
    text = "Here is what was removed:\n- the old lease of the worker\n- its lock in the broker"
    assert line(text) == "Removed: The old lease of the worker; Its lock in the broker"


def test_a_short_sentence_takes_the_next_unless_it_is_a_status():
    assert line("No, it is safe. The token is compared first.") == (
        "No, it is safe. The token is compared first."
    )
    assert line("No, it is safe. All tests pass.") == "No, it is safe."


def test_a_heading_takes_its_first_sentence():
    assert line("## Verdict: not a real problem\n\nThe queue is short. More.") == (
        "not a real problem. The queue is short."
    )


def test_a_line_is_never_long():
    items = "\n".join(f"- item number {number} of the long list of leases" for number in range(30))
    assert len(line(f"Everything that the worker does:\n{items}")) <= LENGTH + 2


SUMMARY = """Done.

### `queue.py`
- Added a fencing token to the lease of each worker in the shop
- Renamed a variable

### `worker.py`
- The worker now renews its lease at half of the time

### Tests
- Added a test for the lease
"""


def test_a_digest_is_the_first_change_under_each_heading():
    assert digest(units(SUMMARY), ANYTHING) == (
        "Added a fencing token to the lease of each worker in the shop; "
        "The worker now renews its lease at half of the time"
    )


def test_a_digest_needs_changes_that_were_asked_for_and_not_told_before():
    assert digest(units("### A\n- It is so\n### B\n- And so"), ANYTHING) == ""
    told = "Added a fencing token to the lease of a worker in the shop today"
    said = replace(ANYTHING, closed=[stems(told)])
    assert not digest(units(SUMMARY), said).startswith("Added a fencing token")


def test_a_recapitulation_is_recognised_by_its_words():
    told = "The worker drains the long queue of the old shop at night"
    old = replace(ANYTHING, closed=[stems(told)])
    assert is_recap(stems("at night the worker drained the old shop's long queue"), old)
    assert not is_recap(stems("the broker drops the token early"), old)
    assert not is_recap(stems("the worker"), old)


def test_labels_are_thin_and_verdicts_are_not():
    assert is_thin("Files: `queue.py`")
    assert is_thin("The answer")
    assert not is_thin("Yes, it is so.")
    assert not is_thin("The worker drains the queue of the shop.")


def test_a_change_is_told_from_a_state():
    changes = (
        "Added a token",
        "`queue.py` - Removed the lock",
        "It now uses a token",
        "It no longer sleeps",
    )
    assert all(map(is_change, changes))
    assert not is_change("The worker sleeps until the lease ends")
