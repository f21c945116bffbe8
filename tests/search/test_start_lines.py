from memoria.search.injection import count_units
from memoria.search.start_lines import SECTIONS, SHARE, choose_for_branch, group_by_section

DAY = "2026-03-01"


def line(name, branch="", section="found", text="- It is so", day=DAY):
    return {"id": name, "section": section, "branch": branch, "day": day, "text": text}


def ids(lines):
    return [one["id"] for one in lines]


OWN, OTHER, ALL = line("own", "ana/leases"), line("other", "ana/till"), line("all", "")
LINES = [OTHER, OWN, ALL]


def test_a_line_fits_its_branch_or_all():
    assert ids(choose_for_branch(LINES, "ana/leases", DAY)) == ["own", "all"]
    assert ids(choose_for_branch(LINES, "ana/new", DAY)) == ["all"]
    assert ids(choose_for_branch(LINES, "", DAY)) == ["all"]


def test_what_was_left_alone_for_long_is_not_told():
    assert choose_for_branch(LINES, "ana/leases", "2026-03-02") == []


def test_lines_stand_under_their_headings_in_the_order_of_the_sections():
    mixed = [line("e", section="errors"), line("o", section="open"), line("s", section="stopped")]
    found = group_by_section(mixed)
    assert [heading for heading, _ in found] == [
        SECTIONS[name] for name in ("stopped", "open", "errors")
    ]
    assert group_by_section([]) == []


def test_all_of_it_stays_within_its_share_in_whole_lines():
    many = [line(str(n), section="found", text=f"- {n} " + "x" * 400) for n in range(9)]
    short = line("last", section="errors", text="- short")
    found = group_by_section([*many, short])
    text = ""
    for heading, lines in found:
        text += f"\n## {heading}\n" + "".join(f"{one['text']}\n" for one in lines)
    assert SHARE - 450 < count_units(text) <= SHARE
    # a long line is passed over and a later, shorter one still comes
    wide = line("wide", section="stopped", text="- " + "x" * 2_600)
    assert [ids(lines) for _, lines in group_by_section([wide, short])] == [["last"]]


def test_room_that_the_rules_leave_is_filled():
    many = [line(str(n), section="found", text=f"- {n} " + "x" * 400) for n in range(20)]
    full, half, none = (len(group_by_section(many, used)[0][1]) for used in (4_000, 2_000, 0))
    assert (full, half, none) == (6, 11, 15)
    assert group_by_section(many, 9_000) == group_by_section(many)
