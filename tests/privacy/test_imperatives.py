from cases import cased
from hypothesis import given, strategies as st

from memoria.privacy.imperatives import gives_orders, has_active_content


@cased()
def test_what_orders(text):
    assert gives_orders(text)
    assert gives_orders(f"Decided: {text}")


@cased()
def test_what_acts_orders_too(text):
    assert has_active_content(text)
    assert gives_orders(text)


@cased()
def test_what_reports(text):
    assert not gives_orders(text)
    assert not has_active_content(text)


@cased()
def test_an_order_is_seen_through_what_hides_in_it(hide):
    assert gives_orders(f"Alwa{hide}ys sign releases.")


@given(st.text(max_size=300))
def test_any_text_is_told(text):
    assert gives_orders(text) in {True, False}
    if has_active_content(text):
        assert gives_orders(text)
