"""One row a session: every session that was drawn or should have been, and why it counts or not."""

from ledgers import EXPERIMENT, SHOP, begun, captured, history, mistaken, moment, started

from memoria.evidence.experiment import experiments
from memoria.evidence.report.session_rows import COLUMNS, rows
from memoria.evidence.study import study


def made(*records):
    past = history(*records)
    return rows(study(past, experiments(past.of("experiment"))[0]))


def test_a_row_has_every_column():
    slate = [{"id": "wf-1", "p": 0.9}, {"id": "wf-2", "p": 1.0}]
    records = [
        captured("old", -2),
        mistaken("old", -1.9, "m"),
        started(error_class="lint"),
        begun("a", 1, slate=slate),
        captured("a", 1),
        mistaken("a", 1.1, "m", fault="lint:E501"),
        mistaken("a", 1.2, "n", fault="correction:revert"),
        mistaken("a", 1.3, "o", fault="lint:E501"),
    ]
    (row,) = made(*records)
    assert list(row) == list(COLUMNS)
    assert row == {
        "experiment": EXPERIMENT,
        "session": "a",
        "project": SHOP,
        "began": moment(1),
        "ended": moment(1.5),
        "arm": "treated",
        "p": 0.5,
        "counted": "yes",
        "mistakes": 3,
        "repeats": 1,
        "class_mistakes": 2,
        "class_repeats": 1,
        "corrections": 1,
        "classes": "correction:revert:1 lint:E501:2",
        "rules": "wf-1 wf-2",
        "hand": 0,
    }


def test_why_a_session_does_not_count():
    records = [
        started(planned=2),
        begun("a", 1),
        captured("a", 1),
        captured("b", 2),
        begun("c", 3, p=1.0),
        captured("c", 3),
        begun("d", 4, "control"),
        captured("d", 4),
        begun("e", 5),
        captured("e", 5),
        begun("f", 6),
    ]
    found = {row["session"]: (row["arm"], row["counted"]) for row in made(*records)}
    assert found == {
        "a": ("treated", "yes"),
        "b": (None, "no coin"),
        "c": ("treated", "chosen"),
        "d": ("control", "yes"),
        "e": ("treated", "beyond"),
        "f": ("treated", "waiting"),
    }
    assert made(*records)[-1]["mistakes"] is None


def test_a_filling_memory_is_unsettled():
    records = [started(design="before-after", p=0.0), begun("a", 1, "control", p=0.0)]
    (row,) = made(*records, captured("a", 1))
    assert (row["counted"], row["p"]) == ("unsettled", 0.0)


def test_no_session_is_no_row():
    assert made(started()) == ()
