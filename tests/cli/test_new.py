from argparse import Namespace
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from cases import cased
from place import debugging

from memoria.cli import new
from memoria.cli.new import CapturedSession, format_draft
from memoria.errors import UsageError
from memoria.vault.storage.ledger_records import Mistake, Resolution
from memoria.vault.written.written_entry import parse_written_entry

DAY = "2026-03-02"
RULE = "Always run the tests before you commit, because CI is slow."


@pytest.fixture
def captured(place):
    """A vault with one captured session, of 2026-03-02."""
    place.transcript("s-11111111", *debugging(rule=RULE))
    place.run("import")
    return place


def entry(place, name):
    return (place.vault / "daily" / f"{name}.md").read_text(encoding="utf-8")


def make(place, slug="", **options):
    defaults = {"date": "", "from_session": "", "json": False, "dry_run": False}
    return new.run(Namespace(slug=slug, **defaults | options), place.work)


@cased()
def test_a_slug_that_is_nearly_one_is_made_one(place, given, slug, title):
    assert place.json("new", given, "--date", DAY) == {
        "path": f"daily/{DAY}-{slug}.md",
        "created": True,
    }
    assert entry(place, f"{DAY}-{slug}").startswith(f"# {title}\n")


@pytest.mark.parametrize(
    "given",
    ["../x", "a/b", "auth.md", "über", "a\x00b", "", "--", "x" * 81, "日本", "con:", "a\nb/c"],
)
def test_a_slug_that_is_none_is_refused(place, given):
    before = place.files()
    with pytest.raises(UsageError):
        make(place, given)
    assert place.files() == before


def test_a_second_one_never_writes_over_the_first(place):
    place.run("new", "auth", "--date", DAY)
    path = place.vault / "daily" / f"{DAY}-auth.md"
    path.write_text("mine", encoding="utf-8")
    assert "there already" in place.err("new", "auth", "--date", DAY, code=2)
    assert path.read_text(encoding="utf-8") == "mine"
    path.unlink()
    path.symlink_to(place.root / "elsewhere.md")
    assert place.run("new", "auth", "--date", DAY)[0] == 2
    assert not (place.root / "elsewhere.md").exists()


def test_the_persons_template_is_used(place):
    template = place.vault / "daily" / "_TEMPLATE.md"
    template.write_text("# {{title}} of {{date}}\n\n## Improvements\n", encoding="utf-8")
    place.run("new", "auth", "--date", DAY)
    assert entry(place, f"{DAY}-auth") == f"# Auth of {DAY}\n\n## Improvements\n"
    template.unlink()
    place.run("new", "other", "--date", DAY)
    assert "## The Journey" in entry(place, f"{DAY}-other")
    template.write_text("\ufeff{{ DATE }} {{slug}} {{other}} {title}\r\n", encoding="utf-8")
    place.run("new", "odd", "--date", DAY)
    assert entry(place, f"{DAY}-odd") == f"{DAY} odd {{{{other}}}} {{title}}\n"
    template.write_bytes(b"\xff")
    assert place.run("new", "third", "--date", DAY)[0] == 3


def test_a_dry_run_writes_nothing(place, capsys):
    before = place.files()
    assert make(place, "auth", dry_run=True) == 0
    assert "## The Goal" in capsys.readouterr().out
    assert place.files() == before


@pytest.mark.parametrize("session", ["latest", "s-111111", "s-11111111"])
def test_a_draft_has_the_commits_errors_and_fixes_of_a_session(captured, session):
    assert captured.run("new", "tokens", "--from-session", session)[0] == 0
    text = entry(captured, f"{DAY}-tokens")
    assert "ValueError: can't compare offset-naive and offset-aware datetimes" in text
    assert "- `tokens.py`" in text
    assert "- Always run the tests before you commit\n" in text
    draft = parse_written_entry(text)
    assert draft.session == "s-11111111"
    assert draft.improvements
    assert all(one.drafted for one in draft.improvements)


def test_an_error_stands_once_with_what_fixed_it():
    at = datetime(2026, 3, 2, 10, tzinfo=UTC)
    error = Mistake("a", "Bash", "exit", "E   ValueError: ``` bad", "c1", -1, at, None)
    mistakes = (
        error,
        replace(error, resolution=Resolution("edit", "- x\n+ y", at)),
        replace(error, signature="b", resolution=Resolution("edit", "read it", at)),
        replace(error, signature="c", kind="correction", line="No, in UTC!"),
    )
    text = format_draft(CapturedSession("s-1", at.date(), (), (), mistakes), "Tokens")
    assert text.count("**Error:**\n\n````text\nE   ValueError: ``` bad\n````") == 2
    assert "What fixed it:\n\n```diff\n- x\n+ y\n```" in text
    assert "What fixed it: read it." in text
    assert "**The user objected:**\n\n> No, in UTC!" in text


def test_a_name_is_taken_from_the_session_where_none_is_given(captured):
    make(captured, from_session="latest")
    assert len(list((captured.vault / "daily").glob(f"{DAY}-*token-check*.md"))) == 1
    with pytest.raises(UsageError, match="which name"):
        make(captured)


def test_a_secret_in_the_transcript_does_not_reach_the_draft(place, monkeypatch):
    secret, password = "ghp_" + "a1B2c3D4e5" * 4, "correct-horse-battery-staple"
    monkeypatch.setenv("SHOP_PASSWORD", password)
    words = f"The token is {secret} and <private>my salary</private> is mine. It is {password}."
    place.transcript("s-22222222", *debugging(rule=words))
    place.run("import")
    place.run("new", "tokens", "--from-session", "latest")
    text = entry(place, f"{DAY}-tokens")
    assert [word for word in (secret, password, "salary") if word in text] == []
    assert "ValueError: can't compare" in text


@cased()
def test_a_session_that_is_not_plain_is_refused(captured, given, why):
    captured.transcript("s-11111119", *debugging(rule=RULE))
    captured.run("import")
    with pytest.raises(UsageError, match=why):
        make(captured, "x", from_session=given)
