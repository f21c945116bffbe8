from dataclasses import replace

from studies import seen

from memoria.evidence.report.repeated_errors import MOST, troubles

FOUND = [
    seen("Bash exit a", "s1", 0, fix="- a\n+ b", mended=4),
    seen("Bash exit a", "s2", 600, mended=602),
    seen("Bash exit a near", "s3", 1200),
    seen("Bash exit b", "s3", 1210),
]
FAMILIES = {"Bash exit a near": "Bash exit a"}


def test_near_mistakes_are_one_family_with_what_resolved_it():
    found = troubles(FOUND, FAMILIES, {"s3": "daily/2026-04-02.md"})
    first, other = found.shown
    assert (first.family, first.count, first.again, first.sessions) == ("Bash exit a", 3, 2, 3)
    assert (first.mended, first.minutes, first.fix) == (2, 3.0, "- a\n+ b")
    assert (first.log, first.took, first.day) == ("daily/2026-04-02.md", "3 minutes", "2 Apr 2026")
    assert (other.again, other.mended, other.minutes, other.fix) == (0, 0, None, "")
    assert (found.mistakes, found.again, found.sessions, found.more) == (4, 2, 3, 0)


def test_the_picture_has_what_came_back_and_the_table_its_numbers():
    (figure,) = troubles(FOUND, FAMILIES, {}).figures
    assert figure.rows == (("x", "2", "3", "3"),)
    roles = [one.role for one in figure.wide.traces if one.role.startswith("mark")]
    assert roles == ["mark again", "mark first"]


def test_nothing_that_came_back_is_no_picture():
    found = troubles([FOUND[0], FOUND[3]], {}, {})
    assert found.figures == ()
    assert len(found.shown) == 2
    assert troubles([], {}, {}).shown == ()


def test_the_most_frequent_are_shown_and_the_others_counted():
    many = [seen(f"Bash exit {n:03}", f"s{n}", n) for n in range(MOST + 7)]
    found = troubles(many, {}, {})
    assert len(found.shown) == MOST
    assert found.more == 7


def test_a_long_or_empty_line_is_told_by_what_there_is():
    one = FOUND[0]
    long = replace(one, mistake=replace(one.mistake, line="word " * 200))
    empty = replace(one, mistake=replace(one.mistake, line=""))
    assert len(troubles([long], {}, {}).shown[0].example) <= 160
    assert troubles([empty], {}, {}).shown[0].example == "Bash exit a"


def test_a_correction_is_told_as_one():
    one = FOUND[0]
    said = replace(one, mistake=replace(one.mistake, tool="user", kind="correction"))
    assert troubles([said], {}, {}).shown[0].by_person
    assert not troubles([one], {}, {}).shown[0].by_person


def test_how_long_it_took():
    def took(minutes):
        return troubles([seen("Bash exit a", "s1", 0, mended=minutes)], {}, {}).shown[0].took

    assert [took(0.5), took(1), took(90), took(300)] == [
        "less than a minute", "1 minute", "90 minutes", "hours",
    ]  # fmt: skip
