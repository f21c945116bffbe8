"""Draws that come out the same whenever they are asked for again, and are distributed as named."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from memoria.learning import randomness as chance

SEED = chance.seed("0f5b9a1e-5a4c-4e7f-9d53-0e8a8b2f7a11")
MANY = 4_000


def draws(count=MANY):
    return [chance.bits(SEED, f"wf-{number:010x}") for number in range(count)]


def test_known_values_hold_on_every_machine():
    assert chance.mixed(0) == 0xE220A8397B1DCDAF  # splitmix64's first output from 0
    assert chance.seed("a session") == 0x9C71923AAB8947F8
    assert chance.bits(1, "x") == 0x051DC5EFD40E38C3


@given(st.text(max_size=80), st.text(max_size=80))
def test_other_names_draw_otherwise(one, other):
    same = one.encode("utf-8", "replace") == other.encode("utf-8", "replace")
    assert (chance.bits(SEED, one) == chance.bits(SEED, other)) == same
    assert (chance.seed(one) == chance.seed(other)) == same


@given(st.integers(0, (1 << 64) - 1))
def test_every_pattern_of_bits_gives_a_number(drawn):
    assert 0.0 < chance.uniform(drawn) < 1.0
    assert math.isfinite(chance.normal(drawn))
    assert 0.0 < chance.beta(drawn, 1.0, 40.0) < 1.0


def test_normal_is_normal():
    assert stats.kstest([chance.normal(drawn) for drawn in draws()], "norm").pvalue > 0.001


@pytest.mark.parametrize(("wins", "losses"), [(1.0, 1.0), (3.0, 9.0), (120.0, 40.0)])
def test_beta_is_beta(wins, losses):
    drawn = [chance.beta(bits, wins, losses) for bits in draws()]
    assert stats.kstest(drawn, stats.beta(wins, losses).cdf).pvalue > 0.001


def test_draws_of_two_names_and_of_two_sessions_do_not_hang_together():
    other = chance.seed("0f5b9a1e-5a4c-4e7f-9d53-0e8a8b2f7a12")
    names = [f"tool-{number:010x}" for number in range(MANY)]
    here = [chance.normal(chance.bits(SEED, name)) for name in names]
    there = [chance.normal(chance.bits(other, name)) for name in names]
    coin = [chance.normal(chance.bits(SEED, "withhold " + name)) for name in names]
    assert abs(stats.pearsonr(here, there).statistic) < 0.06
    assert abs(stats.pearsonr(here, coin).statistic) < 0.06
    assert abs(stats.pearsonr(here[1:], here[:-1]).statistic) < 0.06
