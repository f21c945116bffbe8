"""Draw numbers that come out the same whenever they are asked for again.

Each draw is a function of (seed, name): a resumed session is given the same rules, and a rule that
was retired does not change what the others draw. Hooks load this, so it imports `math` alone.
"""

from math import cos, exp, log, pi, sin, sqrt

# splitmix64 (Steele, Lea and Flood 2014): its increment and the two factors of its finaliser
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = (1 << 64) - 1
# a Mersenne prime: a name of any length modulo it keeps every byte, in one operation
_PRIME = (1 << 61) - 1
# a float holds 53 bits: 52 and a half, which keeps out the ends 0 and 1, whose logarithm is none
_BITS, _UNIT = 12, 2.0**-52
_HALF, _HALF_UNIT = (1 << 32) - 1, 2.0**-32


def seed(text: str) -> int:
    """Give the 64-bit seed of a session's id, or of anything that has a name."""
    return mix_bits(int.from_bytes(b"\1" + text.encode("utf-8", "replace")) % _PRIME)


def bits(seed_bits: int, name: str) -> int:
    """Give 64 bits for a name under a seed; other names give independent ones."""
    return mix_bits(seed_bits ^ (int.from_bytes(b"\1" + name.encode("utf-8", "replace")) % _PRIME))


def mix_bits(value: int) -> int:
    """Spread a number over 64 bits: numbers that differ in one bit come out unlike."""
    value = (value + _GOLDEN) & _MASK
    value = ((value ^ (value >> 30)) * _FIRST) & _MASK
    value = ((value ^ (value >> 27)) * _SECOND) & _MASK
    return value ^ (value >> 31)


def uniform(number: int) -> float:
    """Turn 64 bits into a number between 0 and 1, both left out."""
    return ((number >> _BITS) + 0.5) * _UNIT


def normal(number: int) -> float:
    """Turn 64 bits into a standard normal number (Box and Muller)."""
    radius = sqrt(-2.0 * log(((number >> 32) + 0.5) * _HALF_UNIT))
    return radius * cos(2.0 * pi * ((number & _HALF) + 0.5) * _HALF_UNIT)


def beta(number: int, wins: float, losses: float) -> float:
    """Draw from Beta(wins, losses), both at least 1, out of 64 bits."""
    # two normal numbers and two uniform ones at once: a hook draws a thousand of these
    radius = sqrt(-2.0 * log(((number >> 32) + 0.5) * _HALF_UNIT))
    angle = 2.0 * pi * ((number & _HALF) + 0.5) * _HALF_UNIT
    further = mix_bits(number ^ _FIRST)
    first = _gamma(wins, radius * cos(angle), (further >> 32) * _HALF_UNIT)
    second = _gamma(losses, radius * sin(angle), (further & _HALF) * _HALF_UNIT)
    while not first:
        further = mix_bits(further)
        first = _gamma(wins, normal(further), uniform(mix_bits(further ^ _SECOND)))
    while not second:
        further = mix_bits(further)
        second = _gamma(losses, normal(further), uniform(mix_bits(further ^ _SECOND)))
    return first / (first + second)


def _gamma(shape: float, x: float, u: float) -> float:
    """Turn a normal and a uniform number into one of Gamma(shape), shape at least 1, 0 for none.

    Marsaglia and Tsang 2000: at least 95 of 100 are taken, nearly all of them by the first test.
    """
    third = shape - 1.0 / 3.0
    cube = (1.0 + x / sqrt(9.0 * third)) ** 3
    square = x * x
    if cube <= 0.0:
        return 0.0
    if u < 1.0 - 0.0331 * square * square:
        return third * cube
    if u < exp(min(0.0, 0.5 * square + third * (1.0 - cube + log(cube)))):
        return third * cube
    return 0.0
