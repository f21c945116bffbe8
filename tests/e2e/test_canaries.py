"""300 made-up secrets on every way through the system, with a model that echoes all it is shown.

The secrets have many forms and stand in texts as sessions have them; they are put together, so that
no literal has the form of a key.
"""

import itertools
import json
import random
import re
import stat
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from keeper import Keeper
from loopback import fails, is_form, prompt_text, structured
from privacy.test_secrets import ALNUM, FAMILIES, NEWER, key
from transcript_lines import assistant, encode_session, line, result, say, text, tool, user

COUNT = 300
SESSION = "5e55a000-0000-4000-8000-000000000001"
# of an entry in a prompt; what a prompt gives for an example stands within a line
ENTRY = re.compile(r"^\^(e-[0-9a-f]{12})$", re.MULTILINE)
# of a line of a session's record
CITE = re.compile(r"^([UAT]\d+)\| ", re.MULTILINE)
KEYS = (*FAMILIES, *NEWER)
NAMED = (
    "DB_PASSWORD={}", 'password: "{}"', "mysql -u root -p{} shop", "API_TOKEN={}",
    "postgres://app:{}@db.internal/shop", "curl -u ci:{} https://x.example", "the password is {}",
    '{{"client_secret": "{}"}}', "Authorization: Bearer {}", "redis://:{}@cache:6379",
)  # fmt: skip


def made(count, seed=7):
    """Make secrets: (secret, text that holds it); every third is of no form and behind a name."""
    rng = random.Random(seed)
    for number in range(count):
        if number % 3 == 2:
            secret = "".join(rng.choices(ALNUM, k=22)) + "7"
            yield secret, NAMED[number // 3 % len(NAMED)].format(secret)
        else:
            # a sign at the end would not be told from that of a sentence
            family = KEYS[(number - number // 3) % len(KEYS)]
            keys = (key(family, number * 100 + n) for n in itertools.count())
            secret = next(one for one in keys if one[-1].isalnum())
            yield secret, f"key {secret}"


def session(texts, session_id):
    """Make a transcript that holds these texts in all places where a session can."""
    rows = []
    for number, one in enumerate(texts):
        at, key = number / 4, f"toolu_{number}"
        place = number % 8
        if place == 0:
            rows.append(user(f"Always use the vault, never paste {one} anywhere.", at))
        elif place == 1:
            rows.append(say(f"I decided to use {one}, because the old one expired.", at))
        elif place == 2:
            rows += [assistant(tool(key, command=f"echo {one} && make"), at=at),
                     result(key, f"make: *** [build] Error 1\n{one}\nValueError: bad {one}",
                            at, error=True)]  # fmt: skip
        elif place == 3:
            rows += [assistant(tool(key, "Read", file_path=f"/home/ana/{one}/a.env"), at=at),
                     result(key, f"A=1\n{one}\nB=2\n", at)]  # fmt: skip
        elif place == 4:
            rows.append(user(f"The build fails:\n```\nline\n{one}\n```\nFix it.", at))
        elif place == 5:
            change = {"file_path": "/home/ana/a.py", "old_string": "x = 1", "new_string": one}
            rows += [assistant(tool(key, "Edit", **change), at=at), result(key, "done", at)]
        elif place == 6:
            rows.append(say(json.dumps({"stdout": f"\x1b[32m{one}\x1b[0m"}), at))
        else:
            rows += [assistant(text(f"Fixed: {one}."), tool(key, "Grep", pattern=one), at=at),
                     result(key, one, at)]  # fmt: skip
    rows.append(line("custom-title", len(texts) / 4, customTitle=f"Rotate {texts[0]}"))
    return encode_session(session_id, rows)


def echo(body):
    """Fill in whatever form is asked for with what stands in the prompt."""
    form = next((one for one in body.get("tools", ()) if is_form(one)), None)
    prompt = prompt_text(body)
    lines = [one.strip() for one in prompt.splitlines() if len(one.strip()) > 12] or ["nothing"]
    # the record comes last in a prompt: begin there, and go round
    words = itertools.cycle([*lines[len(lines) // 4 :], *lines])
    entries = ENTRY.findall(prompt)
    cites = CITE.findall(prompt)
    cited = itertools.cycle(cites)
    cited_words = itertools.cycle(cite for cite in cites if cite.startswith("U"))
    # of statements what holds for the moment is not kept
    given = {"lasts": lambda: "always", "related": list, "connects": list, "tags": list}
    if cites:
        given |= {"cites": lambda: [next(cited)], "cite": lambda: next(cited_words)}
    numbers = itertools.count()

    def value(schema, name=""):
        kind = schema.get("type")
        if kind == "object":
            return {key: value(one, key) for key, one in schema.get("properties", {}).items()}
        if name in given:
            return given[name]()
        if kind == "array":
            few = min(schema.get("maxItems", 8), 8)
            return [value(schema.get("items", {"type": "string"}), name) for _ in range(few)]
        if "enum" in schema or kind in ("boolean", "integer", "number"):
            return schema.get("enum", [kind == "boolean" or 1])[0]
        if name in ("entry", "entries") and entries:
            return entries[0]
        fixed = {"slug": f"echo-{next(numbers)}", "heading": "Key Points", "kind": "concept"}
        return fixed.get(name) or next(words)[:300]

    return structured(value(form["input_schema"])) if form else structured({})


@contextmanager
def watched(room):
    """Keep the arguments and the environment of every process that runs in the room."""
    seen, done = set(), threading.Event()

    def look():
        while not done.is_set():
            for number in room.processes():
                with suppress(OSError):
                    for name in ("cmdline", "environ"):
                        seen.add(Path(f"/proc/{number}/{name}").read_bytes())
            time.sleep(0.04)  # a hook runs for longer; to look costs a tenth of that

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    yield seen
    done.set()
    thread.join()


def found(secrets, data):
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    return [secret for secret in secrets if secret in text]


def hold(secrets, folder, without=()):
    """Give the files under a folder that hold a secret in their bytes or their name."""
    return {
        path.relative_to(folder).as_posix(): hits[:2]
        for path in folder.rglob("*")
        if path not in without
        and (hits := found(secrets, path.name)
             + (found(secrets, path.read_bytes()) if path.is_file() else []))
    }  # fmt: skip


@pytest.fixture
def keeper(loop, tmp_path):
    with Keeper(tmp_path, loop) as room:
        yield room


def test_no_canary_is_left_anywhere(keeper, loop, tmp_path):
    canaries = list(made(COUNT))
    secrets = [secret for secret, _ in canaries]
    transcript = keeper.config / "projects/-home-ana-shop" / f"{SESSION}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(session([text for _, text in canaries], SESSION))
    transcript.chmod(0o600)  # as the client's own are
    shared = set(Path("/tmp").iterdir())
    with watched(keeper) as seen:
        # while the model cannot be reached the job waits, and raw text stands in its link alone
        loop.fallback = lambda _: fails(529, "overloaded_error", "Overloaded")
        event = {"session_id": SESSION, "transcript_path": str(transcript), "cwd": "/home/ana/shop",
                 "hook_event_name": "SessionEnd", "reason": "exit"}  # fmt: skip
        settings = json.loads(keeper.settings().read_text())
        (entry,) = settings["hooks"]["SessionEnd"][0]["hooks"]
        command = [entry["command"], *entry.get("args", ())]
        if len(command) == 1:
            command = ["/bin/sh", "-c", entry["command"]]
        done = keeper.run(*command, stdin=json.dumps(event))
        assert done.returncode == 0, done.stderr
        keeper.settle()
        (job,) = keeper.jobs()
        link = job.with_suffix(".jsonl")
        assert stat.S_IMODE(link.stat().st_mode) == 0o600
        assert link.samefile(transcript)
        assert hold(secrets, keeper.vault, {link}) == {}
        loop.fallback = echo
        keeper.aged(1)
        (tmp_path / "review.txt").write_text(
            f"Always close the file.\nNever use {canaries[0][1]}.\n"
        )
        done = keeper.python(ALL, str(keeper.vault), VERBS, str(tmp_path))
        assert done.returncode == 0, done.stderr
        assert found(secrets, done.stdout + done.stderr) == []
        keeper.settle()
    assert keeper.jobs() == []
    assert keeper.texts(), keeper.log("flush.log")
    assert (keeper.vault / "knowledge/index.md").read_text().count("[[") > 1
    assert "[REDACTED:" in "".join(keeper.texts())
    # nowhere under the vault, its state, the logs, the reports, the temporary folders, the project
    (tmp_path / "review.txt").unlink()
    transcript.unlink()
    assert hold(secrets, tmp_path) == {}
    assert [hits for one in seen if (hits := found(secrets, one))] == []
    assert len(seen) > 10
    assert [hits for body in loop.bodies if (hits := found(secrets, json.dumps(body)))] == []
    assert [path for path in set(Path("/tmp").iterdir()) - shared if "memoria" in path.name] == []
    modes = {
        path.relative_to(keeper.vault).as_posix(): oct(path.stat().st_mode)
        for path in [keeper.state, *keeper.state.rglob("*")]
        if path.stat().st_mode & 0o077
    }
    assert modes == {}
    assert keeper.memoria("doctor", "--audit").returncode == 0


VERBS = """flush
compile
query How_was_the_key_rotated? --file-back
search key
skills --format markdown -o skills.md
lint --fix
distill
report
learn --from-review review.txt
list
stats --detailed
diff
cost"""
# in one process, since each start costs a second
ALL = """
import os
from memoria.cli.main import main
from memoria.terminal_driver import Driver
vault, verbs, folder = sys.argv[1:]
os.chdir(folder)
for line in verbs.splitlines():
    verb, *rest = line.split()
    print("##", line, flush=True)
    code = main([verb, "--vault", vault, *rest], driver=Driver())
    if code not in (0, 1):
        sys.exit(f"{line}: {code}")
"""


OFFLINE = """
import os, socket, sys
def look(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname"):
        with open(os.environ["CONNECTED"], "a") as file:
            file.write(f"{event} {arguments!r}\\n")
        raise OSError("no network in this test")
sys.addaudithook(look)
"""


def test_the_offline_engine_reaches_nothing(loop, tmp_path):
    site, told = tmp_path / "site", tmp_path / "connected"
    with Keeper(tmp_path, loop, "offline", CONNECTED=str(told)) as room:
        room.patched(OFFLINE)
        room.extra["PYTHONPATH"] = str(site)  # verbs and whatever they start
        # what the hook sees is written down: without this the test could not fail
        room.run("python3", "-c", "import socket\nsocket.create_connection(('127.0.0.1', 9))")
        assert told.read_text().startswith("socket.")
        told.unlink()
        transcript = room.config / "projects/-home-ana-shop" / f"{SESSION}.jsonl"
        transcript.parent.mkdir(parents=True)
        transcript.write_bytes(session([text for _, text in made(16)], SESSION))
        for verb in (("import",), ("compile",), ("query", "Which key?", "--file-back"),
                     ("lint",), ("skills",), ("report",), ("doctor",)):  # fmt: skip
            done = room.memoria(*verb)
            assert done.returncode in (0, 1), (verb, done.stderr)
        room.settle(30)
        assert len(room.texts()) == 1
        assert not told.exists(), told.read_text()
        assert loop.bodies == []
