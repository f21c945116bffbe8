"""Lines of the ledger without what is forgotten."""

import json
import re

from cases import cased

from memoria.vault.storage.history import fold_ledger
from memoria.vault.storage.tombstones import (
    Erasure,
    build_forget_record,
    find_forgotten_names,
    hash_name,
    remove_forgotten,
)

AT = "2026-03-02T10:00:00+00:00"
LOST = Erasure(
    sessions=frozenset({"s-gone"}),
    entries=frozenset({"e-gone"}),
    notes=frozenset({"concepts/kept", "index"}),
    rules=frozenset({"wf-gone"}),
    projects=frozenset({"/home/ana/gone"}),
    holds=lambda text: "nightjar" in text.casefold(),
    marks=lambda text: re.search("bittern|nightjar", text.casefold()) is not None,
)


def one(value):
    (line,) = list(
        remove_forgotten([json.dumps({"at": AT} | value, separators=(",", ":")) + "\n"], LOST)
    ) or [""]
    return json.loads(line) if line else None


@cased(
    *(
        {"kind": kind, "id": "wf-gone", "session": "s-kept", "project": "/x"}
        for kind in ("opinion", "proposal", "guard")
    )
)
def test_what_goes_leaves_kind_and_time(value):
    assert one(value) == {"kind": value["kind"], "at": AT, "tombstone": True}


@cased()
def test_what_stays_says_the_rest(value, after):
    assert one(value) == {"at": AT} | value | after


def test_a_torn_line_goes_only_if_it_names_what_goes():
    assert list(remove_forgotten(['{"kind": "x\n', '{"session": "s-gone\n'], LOST)) == [
        '{"kind": "x\n'
    ]


def test_what_was_forgotten_is_known_again_and_cannot_be_read():
    line = json.dumps({"kind": "session", "session": "s-gone", "turns": ["aaaa", "bbbb"]})
    found = find_forgotten_names([line], LOST)
    assert found == {"s-gone", "aaaa", "bbbb"}
    text = json.dumps(build_forget_record(AT, "salt", found))
    assert "s-gone" not in text
    history = fold_ledger([text])
    assert all(map(history.has_forgotten, found))
    assert not history.has_forgotten("s-kept")
    assert hash_name("salt", "aaaa") != hash_name("other", "aaaa")
