"""The sample sessions: readable, safe, and with something true to find in them."""

import json
import re
from pathlib import Path

import pytest

from memoria.agents.claude_code.settings_store import list_transcripts
from memoria.agents.claude_code.transcript_store import read
from memoria.cli.setup.sample_sessions import read_sample_sessions, render_transcript
from memoria.privacy.secrets import redact

FILES = {session.path: render_transcript(session) for session in read_sample_sessions()}
PATHS = sorted(FILES)
MIGRATE = "Always run the migrations through `make migrate`, never by hand"
BRANCH = "Never commit to main directly, always open a branch first"
RULES = f"""
{MIGRATE}
{BRANCH}
Use uv, not pip: pip ignores uv.lock, and then CI has other versions than we have here
Never log the body of a webhook, only its id and type
Always run the tests with `make test`
Never add a dependency without asking me first
Never run anything against production from a session, always give me the command and I run it
"""


@pytest.fixture(scope="module")
def parts(samples):
    """All sessions in order of time; each of them is one part."""
    found = [part for path in PATHS for part in read(samples / path)]
    assert len(found) == len(PATHS)
    return sorted(found, key=lambda part: part.turns[0].at)


@pytest.fixture(scope="module")
def calls(parts):
    return [call for part in parts for call in part.calls]


def test_they_are_few_small_and_found_as_sessions(samples):
    assert 12 <= len(PATHS) <= 14
    assert sum(map(len, FILES.values())) < 400_000
    found = {session.path.relative_to(samples).as_posix() for session in list_transcripts(samples)}
    assert found == set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_each_is_a_session_as_the_client_writes_it(path):
    lines = [json.loads(line) for line in FILES[path].splitlines()]
    assert {line["sessionId"] for line in lines} == {Path(path).stem}
    own = [line for line in lines if "uuid" in line]
    assert len({line["uuid"] for line in own}) == len(own)
    assert [line["parentUuid"] for line in own] == [None, *(line["uuid"] for line in own[:-1])]
    times = [line["timestamp"] for line in lines if "timestamp" in line]
    assert times == sorted(times)
    assert "2026-10-05" < times[0] < times[-1] < "2026-10-16"
    assert {re.sub("[^A-Za-z0-9]", "-", line["cwd"]) for line in own} == {Path(path).parts[0]}


def test_nothing_is_skipped_in_reading_and_every_call_is_answered(parts, calls):
    assert {part.skipped for part in parts} == {()}
    assert all(call.answered for call in calls)
    assert {part.cwd for part in parts} == {
        "/home/robin/code/shop-api",
        "/home/robin/code/trailmap",
    }


def test_the_one_secret_is_redacted(parts):
    secret = "hunter2" * 2
    texts = [call.result for part in parts for call in part.calls]
    texts += [say.text for part in parts for turn in part.turns for say in turn.says]
    told = [text for text in texts if secret in text]
    assert len(told) == 2
    for text in told:
        assert secret not in redact(text).text
        assert "postgres://shop:" in redact(text).text


# Shapes that scanners of repositories refuse, and places that are nobody's business.
_UNSAFE = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|ant)|\bgh[pousr]_|\bgithub_pat_|\bAKIA|\bxox[abpr]-|\beyJ[\w-]{9}"
    r"|-----BEGIN|/root/|/Users/|/work/|[\w.]+@(?!localhost)[\w-]+\.(?:com|org|net|io)\b"
)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_in_them_is_anybodys(path):
    assert not _UNSAFE.findall(FILES[path].decode())
