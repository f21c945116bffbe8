"""The network goes, or the server restarts, in the middle of an exchange: nothing is lost."""

import os
import signal
import socket
import threading
from contextlib import suppress

import pytest
from bench.team.machines import Machine
from limits import HANGS

from memoria.team.fact import TeamError
from memoria.team.postgres_store import PostgresExchange

psutil = pytest.importorskip("psutil")
conninfo = pytest.importorskip("psycopg.conninfo")
POINTS = int(os.environ.get("MEMORIA_TEST_EXAMPLES", "20"))


class Proxy:
    """Stands on loopback before the server; cuts all connections once `left` bytes have passed."""

    def __init__(self, uri):
        self._to = conninfo.conninfo_to_dict(uri)
        self._ear = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self.passed, self.left = 0, None
        self.at_cut = lambda: None
        threading.Thread(target=self._serve, daemon=True).start()

    def address(self, address):
        port = self._ear.getsockname()[1]
        return conninfo.make_conninfo(address, host="127.0.0.1", port=port)

    def _is_cut(self, size):
        if self.left is None:
            return False
        before, self.left = self.left, self.left - size
        if self.left < 0 <= before:
            self.at_cut()
        return self.left < 0

    def mend(self):
        # whoever cut has let go of it: a server that restarts is there again
        with self._lock:
            self.left = None

    def close(self):
        self._ear.close()

    def _serve(self):
        with suppress(OSError):
            while True:
                client, _ = self._ear.accept()
                ends = (client, self._server())
                for one, other in (ends, ends[::-1]):
                    threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _server(self):
        found = socket.socket(socket.AF_UNIX)
        found.connect(f"{self._to['host']}/.s.PGSQL.{self._to.get('port', 5432)}")
        return found

    def _pump(self, one, other):
        with suppress(OSError):
            while data := one.recv(256):
                with self._lock:
                    self.passed += len(data)
                    if self._is_cut(len(data)):
                        break
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Proxied:
    """The team as one that reaches it through the proxy sees it."""

    def __init__(self, database, proxy):
        self._database, self._proxy = database, proxy

    def of(self, name, machine=""):
        return PostgresExchange(self._proxy.address(self._database.address(name)))


@pytest.fixture
def proxy(database):
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("the server listens on no socket of a file")
    found = Proxy(database.uri)
    yield found
    found.close()


@pytest.mark.parametrize("restarts", [False, True])
def test_what_is_cut_off_at_any_point_is_there_once_after_the_next(
    database, proxy, server, tmp_path, restarts
):
    def restart():
        process = psutil.Process(server.get_pid())
        process.send_signal(signal.SIGQUIT)
        process.wait(HANGS)
        server.ensure_postgres_running()

    ana = Machine(Proxied(database, proxy), "ana", tmp_path)
    ben = Machine(database, "ben", tmp_path)
    ana.lines = {f"kept {n}" for n in range(50)}
    ana.sync()
    kept, before = set(ana.lines), proxy.passed
    ana.lines = kept | {"line"}
    ana.sync()
    whole = proxy.passed - before
    points = range(0, POINTS, 5 if restarts else 1)
    if restarts:
        proxy.at_cut = restart
    cut = 0
    for point in points:
        # each time one line is new and one is withdrawn
        ana.lines = kept | {f"line {point}"}
        proxy.left = whole * point // POINTS
        cut += 1
        with suppress(TeamError):
            ana.sync()
            cut -= 1
        proxy.mend()
        ana.sync()
        ben.sync()
        assert ana.seen() == ben.seen() == {("ana", text) for text in ana.lines}
        assert len(ben.mirror.facts()) == len(ana.lines)
    assert cut >= len(points) * 3 // 4
