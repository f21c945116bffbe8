"""Occasions on which a coin gave or kept back a rule, from what hooks and flush left."""

from ledgers import SHOP, START, begun, captured, history, judged

from memoria.evidence.withholding.by_rule import occasions, offers

ONE, TWO, OLD = "wf-0000000001", "wf-0000000002", "wf-00000000ff"


def rows(*names, p=0.9):
    return [{"id": name, "hash": "h", "p": p} for name in names]


def found(*records, heirs=None):
    return occasions(history(*records), heirs or {})


def test_given_and_withheld_rules_whose_occasion_came():
    records = [
        begun("a", 1, slate=rows(ONE), withheld=rows(TWO)),
        captured("a", 1),
        judged("a", 2, wf_0000000001=True, wf_0000000002=False),
    ]
    one, two = found(*records)
    assert (one.rule, one.injected, one.p, one.came_back) == (ONE, True, 0.9, False)
    assert (two.rule, two.injected, two.p, two.came_back) == (TWO, False, 0.9, True)
    assert (one.session, one.project) == ("a", SHOP)
    assert one.at == START.replace(hour=9)


def test_the_worst_of_several_parts_counts():
    given = begun("a", 1, slate=rows(ONE))
    parts = [judged("a", n, wf_0000000001=well) for n, well in ((2, True), (3, False), (4, True))]
    assert [one.came_back for one in found(given, *parts)] == [True]


def test_a_person_s_word_is_no_witness():
    said = {"kind": "reward", "at": "2026-03-01T10:00:00+00:00", "id": ONE, "reward": 1}
    assert found(begun("a", 1, slate=rows(ONE)), said | {"by": "person", "session": "a"}) == ()


def test_withheld_first_and_given_later_is_neither():
    later = begun("a", 2, event="UserPromptSubmit", slate=rows(ONE, p=1.0))
    records = [begun("a", 1, withheld=rows(ONE)), later, judged("a", 3, wf_0000000001=True)]
    assert found(*records) == ()
    assert offers(history(*records), {})["a", ONE].injected
    twice = [begun("a", 1, slate=rows(ONE)), later, judged("a", 3, wf_0000000001=True)]
    assert [one.p for one in found(*twice)] == [0.9]


def test_a_chance_that_is_none_is_no_coin():
    for field, p in (("slate", None), ("slate", 0), ("withheld", 1.0), ("withheld", 7)):
        records = [begun("a", 1, **{field: rows(ONE, p=p)}), judged("a", 3, wf_0000000001=True)]
        assert found(*records) == ()


def test_a_merged_rule_goes_by_its_heir():
    records = [begun("a", 1, slate=rows(OLD)), judged("a", 3, wf_00000000ff=True)]
    assert [one.rule for one in found(*records, heirs={OLD: ONE})] == [ONE]
