"""The database drops a connection in the middle of a push: nothing of the batch is there."""

import pytest
from teams import line

from memoria.team.exchange import TeamError

psycopg = pytest.importorskip("psycopg")


class Cutting(list):
    """Facts whose second reading, when the rows are inserted, has the server end the connection."""

    def __init__(self, facts, uri):
        super().__init__(facts)
        self._uri = uri
        self.read = 0

    def __iter__(self):
        self.read += 1
        if self.read == 2:
            with psycopg.connect(self._uri, autocommit=True) as base:
                ended = base.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE usename = 'ana'"
                ).fetchone()
            assert ended == (1,)
        return super().__iter__()


def test_a_push_that_was_cut_off_is_there_not_at_all_and_then_once(database):
    facts = Cutting([line("one"), line("two")], database.uri)
    with pytest.raises(TeamError):
        database.of("ana").push(facts)
    assert facts.read == 2
    ben = database.of("ben")
    assert ben.pull("").facts == ()
    ana = database.of("ana")
    for _ in range(2):
        ana.push(list(facts))
    assert sorted(fact.text for fact in ben.pull("").facts) == ["one", "two"]
