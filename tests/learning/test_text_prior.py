"""What a text promises where."""

import numpy as np
import pytest
from scipy import sparse

from memoria.learning import text_prior as promise


def test_wordings_are_averaged_and_keep_their_length():
    rows = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 0.0]]))
    found = promise.joined(rows, [0, 0, 1, 2], 4).toarray()
    assert np.sqrt((found**2).sum(axis=1)) == pytest.approx([1.0, 1.0, 0.0, 0.0])
    assert found[0] == pytest.approx([np.sqrt(0.5)] * 2)


@pytest.mark.parametrize(
    ("overlap", "expected"), [(1.0, 1.0), (0.5, 0.25), (0.0, 0.0), (-0.4, 0.0)]
)
def test_fit(overlap, expected):
    assert promise.fit(np.array([[overlap]]))[0, 0] == pytest.approx(expected)


def test_a_family_that_fits_one_place_has_its_share_there():
    known = np.array([[0.8, 0.1, 0.0], [0.8, 0.8, 0.8], [0.0, 0.0, 0.0]])
    found = promise.share(known, known)
    assert found[0, 0] > 0.9
    assert found[1] == pytest.approx([found[1, 0]] * 3)
    assert found[2].sum() < 0.2  # it belongs nowhere


def test_a_new_place_is_a_rival_of_the_known_ones():
    known = np.array([[0.8, 0.1]])
    alike = promise.share(np.array([[0.8]]), known, new=True)[0, 0]
    assert 0.4 < alike < 0.5
