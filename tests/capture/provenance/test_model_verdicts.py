import pytest
from cases import cased
from talk import bash, say, transcript, turn

from memoria.capture.digest import RecordSpan
from memoria.capture.provenance import quotes
from memoria.capture.provenance.quotes import verify_judgements
from memoria.errors import BadReply

RULE, OTHER = "wf-0123456789", "wf-9876543210"
SESSION = transcript(
    turn(
        "Fix the parser, and run the tests before you commit.",
        say("I ran the whole test suite before the commit."),
        bash("cat notes.md", "The rule about tests was broken in this session."),
    )
)


def one(quote, rule=RULE, *, kept=True):
    return quotes.RuleJudgement(rule, kept, quote)


@cased()
def test_only_what_was_really_said_counts(quote, counts):
    assert bool(verify_judgements([one(quote)], SESSION, {RULE})) is counts


def test_a_rule_that_the_session_was_not_given_earns_nothing():
    assert verify_judgements([one("I ran the whole test suite", OTHER)], SESSION, {RULE}) == ()


def test_of_two_that_contradict_each_other_the_worse_counts():
    quote = "I ran the whole test suite"
    both = [one(quote), one(quote, kept=False)]
    for order in (both, both[::-1]):
        assert [found.kept for found in verify_judgements(order, SESSION, {RULE})] == [False]


def test_an_answer_cites_the_line_that_shows_it():
    spans = {"A2": RecordSpan("A", "I ran it", 100, id="A2")}
    row = {"rule": RULE.upper(), "kept": True, "cite": "A2"}
    value = {"judgements": [row, row | {"cite": "A9"}]}
    assert quotes.parse_judgements(value, spans) == (one("I ran it"),)
    assert quotes.parse_judgements({}, spans) == ()
    with pytest.raises(BadReply, match="judgements"):
        quotes.parse_judgements({"judgements": [{"rule": RULE}]}, spans)
