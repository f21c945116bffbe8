"""One row a session: every session that was drawn or should have been, and why it counts or not."""

from ledgers import begun, captured, history, started

from memoria.evidence.experiment import experiments
from memoria.evidence.report.session_rows import rows
from memoria.evidence.study import study


def made(*records):
    past = history(*records)
    return rows(study(past, experiments(past.of("experiment"))[0]))


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
        "b": (None, "no draw"),
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
