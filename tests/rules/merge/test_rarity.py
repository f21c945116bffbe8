from memoria.rules.merge.rarity import RARE, weight


def test_what_most_rules_speak_of_tells_less():
    assert weight("check") < weight("migrate") < weight("a concept that nobody has") == RARE


def test_a_verb_that_a_noun_takes_along_tells_little_as_an_order():
    assert weight("write", verb=True) < weight("write")
    assert weight("encrypt", verb=True) == weight("encrypt")
