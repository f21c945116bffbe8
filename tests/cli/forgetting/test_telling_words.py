"""Words that only the forgotten said."""

from memoria.cli.forgetting.telling_words import Evidence, telltales, words


def test_words_are_told_apart_by_case_and_marks_of_names():
    assert words("Nightjar_region /tmp/x.py of") == {"nightjar", "region", "tmp"}


def test_what_everybody_writes_or_another_session_said_is_no_telltale():
    found = telltales(["Fix the nightjar test in Utrecht"], ["Utrecht is fine"])
    assert found == {"nightjar"}


def test_a_text_is_found_in_any_case():
    lost = Evidence(match="big secret")
    assert lost.doom("- The BIG Secret.", ()) == "marked"
    assert not lost.doom("- The secret.", ())
