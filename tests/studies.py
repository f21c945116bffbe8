"""Studies made up for tests: columns of mistakes, repeats and arms, or whole drawn histories."""

from datetime import UTC, datetime, timedelta

import numpy as np

from memoria.capture.repeats import Unit, table
from memoria.vault.entry import NO_TURN, Mistake, Resolution
from memoria.vault.storage.history import Seen

AT = datetime(2026, 4, 1, 9, tzinfo=UTC)
# sixteen sessions: every kind of them, none in the first arm that had no mistake
MISTAKES = (3, 0, 5, 1, 2, 7, 4, 1, 0, 6, 2, 3, 9, 1, 4, 2)
REPEATS = (1, 0, 4, 0, 1, 2, 3, 1, 0, 5, 0, 2, 6, 0, 1, 1)
TREATED = (1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1)


def seen(  # noqa: PLR0913 - a mistake has as many fields
    signature, session, minute, *, project="shop", kind="exit", fix=None, mended=None
):
    at = AT + timedelta(minutes=minute)
    how = None if mended is None else Resolution("edit", fix or "", AT + timedelta(minutes=mended))
    return Seen(Mistake(signature, "Bash", kind, "x", "c", NO_TURN, at, how), session, project)


def unit(  # noqa: PLR0913 - a session has as many fields
    number, mistakes=1, repeats=0, *, treated=True, p=0.5, project="shop", **more
):
    at = AT + timedelta(hours=6 * number)
    return Unit(f"s{number}", at, project, treated, p, mistakes, repeats, **more)


def units(mistakes=MISTAKES, repeats=REPEATS, treated=TREATED, p=0.5):
    rows = zip(mistakes, repeats, treated, strict=True)
    return [
        unit(number, int(m), int(r), treated=None if t is None else bool(t), p=p)
        for number, (m, r, t) in enumerate(rows)
    ]


def columns(mistakes=MISTAKES, repeats=REPEATS, treated=TREATED, p=0.5):
    return table(units(mistakes, repeats, treated, p))


def drawn(control, treated, sessions, seed=0):
    """A history as clustered as real ones: 3.4 mistakes, variance/mean 3.3, correlation .23."""
    rng = np.random.default_rng(seed)
    coin = rng.random(sessions) < 0.5
    mistakes = rng.negative_binomial(3.4 / 2.3, 1 / 3.3, sessions)
    share = np.where(coin, treated, control)
    size = 1 / 0.23 - 1
    repeats = rng.binomial(mistakes, rng.beta(share * size, (1 - share) * size))
    return units(mistakes, repeats, coin)
