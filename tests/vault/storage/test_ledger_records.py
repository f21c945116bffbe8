import json

from hypothesis import given, strategies as st

from memoria.vault.storage import ledger_records as ledger


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9)))
def test_a_record_is_one_line_that_can_be_written(record):
    line = ledger.format_line({**record, "kind": "x", "odd": "\ud800 \n \r \x00 \u2028"})
    assert line.endswith("\n")
    assert "\n" not in line[:-1]
    assert "\r" not in line
    line.encode("utf-8")
    assert json.loads(line)["kind"] == "x"
