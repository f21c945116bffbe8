"""The report in a real headless Chromium: it is quiet, sends nothing, and can be read."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from types import SimpleNamespace

import pytest
import reported
from chromium import Chromium, find
from limits import HANGS

pytestmark = pytest.mark.skipif(find() is None, reason="no Chromium on this machine")

TESTS = Path(__file__).resolve().parents[1]
SCRIPTS = TESTS.parent / "scripts"
# complaints about what cannot be read
FAULTS = (TESTS / "programs" / "legible.js").read_text(encoding="utf-8")
HOSTILE = '<img src=http://127.0.0.1:9/x onerror=alert(1)> "quoted" & <b>bold</b>'
KINDS = ("full", "usual", "empty", "hostile", "none")


def memoria(home, *arguments):
    """Start the command line as a person would, with nothing of this machine's environment."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(SCRIPTS)}
    env |= {"MEMORIA_TIMEZONE": "UTC", "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "memoria", *arguments]
    return subprocess.Popen(
        command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def printed(process):
    """Wait for a command; give what it printed."""
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    return out.strip()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One report of each kind of vault: kind -> its file."""
    root = tmp_path_factory.mktemp("report")
    running = {}
    for kind in KINDS:
        vault = root / kind
        printed(memoria(root, "init", str(vault)))
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("HOME", str(root))
            fill(SimpleNamespace(vault=vault), kind)
        running[kind] = memoria(root, "report", "--vault", str(vault), "--quiet")
    return {kind: Path(printed(process)) for kind, process in running.items()}


def fill(place, kind):
    if kind == "empty":
        return
    texts = (HOSTILE, "w" * 300) if kind == "hostile" else reported.TEXTS
    ids = reported.rules(place, texts)
    study = "" if kind in {"usual", "hostile"} else "x-0123456789"
    sessions = {"full": 180, "none": 6}.get(kind, 60)
    records = reported.history(sessions, ids=ids, study=study)
    evil = {"project": f"github.com/ana/{HOSTILE}", "line": "long" * 60 + HOSTILE}
    if kind == "hostile":
        records = [one | {k: v for k, v in evil.items() if k in one} for one in records]
    reported.fill(place, records)
    if kind != "usual":
        reported.believe(place, ids)


@pytest.fixture(scope="module")
def browser():
    with Chromium() as found:
        yield found


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_quiet_and_asks_for_nothing(browser, pages, kind):
    page = browser.open(pages[kind].as_uri())
    assert page.log == []
    assert page.requests == [pages[kind].as_uri()]
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px", "no style sheet"
    assert page.evaluate("document.scripts.length + document.images.length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_read(browser, pages, kind, width, scheme):
    page = browser.open(pages[kind].as_uri(), width=width, scheme=scheme)
    assert page.evaluate(FAULTS) == []
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate(FAULTS) == []


def test_who_cannot_see_it_is_told_the_same(browser, pages):
    page = browser.open(pages["full"].as_uri())
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]

    def named(role):
        mine = [
            one for one in nodes if one.get("role", {}).get("value") == role and not one["ignored"]
        ]
        return [one.get("name", {}).get("value", "") for one in mine]

    images = named("image") + named("img")
    assert len(images) == page.evaluate("document.querySelectorAll('figure').length") == 3
    for role in ("image", "img", "link", "heading", "region", "DisclosureTriangle"):
        assert all(named(role)), role
    assert len(set(named("region"))) == len(named("region"))


def test_the_links_lead_to_files_of_the_vault(browser, pages):
    page = browser.open(pages["full"].as_uri())
    links = page.evaluate("[...document.links].map(one => one.href)")
    files = [link for link in links if link.startswith("file:") and "#" not in link]
    rules = [link for link in files if "/knowledge/rules/" in link]
    assert len(rules) >= 8
    for link in rules:
        assert Path(link.removeprefix("file://")).is_file()
    assert all(link.startswith(("file:", "obsidian://open?vault=full&file=")) for link in links)


# -- The checks can fail ---------------------------------------------------------------------------


class Hits(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.hits.append(self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def test_the_policy_stops_what_would_slip_in(browser, pages, tmp_path):
    # a frame that is blocked gets a connection all the same, over which nothing is sent
    ThreadingTCPServer.daemon_threads = True
    with ThreadingTCPServer(("127.0.0.1", 0), Hits) as server:
        server.hits, server.block_on_close = [], False
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        there = f"http://127.0.0.1:{server.server_address[1]}"
        evil = (
            f'<img src="{there}/img"><script>document.title = "run"</script>'
            f'<link rel="stylesheet" href="{there}/css"><iframe src="{there}/frame"></iframe>'
            f'<p style="color: red" id="styled">x</p><style>body {{ margin: 9px }}</style>'
        )
        text = pages["full"].read_text(encoding="utf-8").replace("<main>", f"<main>{evil}", 1)
        (tmp_path / "evil.html").write_text(text, encoding="utf-8")
        page = browser.open((tmp_path / "evil.html").as_uri())
        assert page.evaluate("document.title") != "run"
        assert page.evaluate("getComputedStyle(document.body).margin") == "0px"
        assert page.evaluate("getComputedStyle(styled).color") != "rgb(255, 0, 0)"
        server.shutdown()
        thread.join()
        assert server.hits == []
    assert any("Content Security Policy" in entry for entry in page.log)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("document.querySelector('h1').style.color = '#aaa'", "contrast"),
        ("document.querySelectorAll('.chart .mark').forEach(one => one.remove())", "no marks"),
        ("document.querySelectorAll('.mark').forEach(one => one.style = 'fill:#eee;stroke:#eee')",
         "of mark"),
        ("document.querySelector('svg.chart text').setAttribute('x', 5000)", "is cut off"),
        ("document.querySelector('caption').remove()", "without a caption"),
        ("document.querySelector('th').removeAttribute('scope')", "without a scope"),
        ("document.querySelector('section').id = 'stake'", "two of id"),
        ("document.querySelector('main').style.minWidth = '3000px'", "sticks out"),
        ("document.querySelector('h2').outerHTML = '<h4>x</h4>'", "h4 after"),
    ],
)  # fmt: skip
def test_the_checks_would_complain(browser, pages, change, said):
    page = browser.open(pages["full"].as_uri())
    page.evaluate(change)
    assert any(said in fault for fault in page.evaluate(FAULTS))
