from argparse import Namespace

import pytest

from memoria.cli import new
from memoria.errors import UsageError
from memoria.vault.written.written_entry import written

DAY = "2026-03-02"


def entry(place, name):
    return (place.vault / "daily" / f"{name}.md").read_text(encoding="utf-8")


def make(place, slug="", **options):
    defaults = {"date": "", "json": False, "dry_run": False}
    return new.run(Namespace(slug=slug, **defaults | options), place.work)


def test_a_new_entry_has_the_six_sections(place):
    code, out, _ = place.run("new", "auth-api", "--date", DAY)
    assert (code, out) == (0, f"daily/{DAY}-auth-api.md\n")
    text = entry(place, f"{DAY}-auth-api")
    assert text.startswith("# Auth api\n")
    assert all(f"\n## {name}\n" in text for name in ("The Goal", "The Journey", "Improvements"))
    assert written(text).improvements == ()


@pytest.mark.parametrize(
    ("given", "slug", "title"),
    [
        ("Auth API", "auth-api", "Auth API"),  # typed as words
        ("auth_api", "auth-api", "Auth api"),
        (" AUTH  api ", "auth-api", "AUTH api"),
        ("a", "a", "A"),
        ("v2-3", "v2-3", "V2 3"),
    ],
)
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
    code, _, err = place.run("new", "auth", "--date", DAY)
    assert code == 2
    assert "there already" in err
    assert path.read_text(encoding="utf-8") == "mine"
    path.unlink()
    path.symlink_to(place.root / "elsewhere.md")
    assert place.run("new", "auth", "--date", DAY)[0] == 2
    assert not (place.root / "elsewhere.md").exists()


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-02-30", "1.2.2026"])
def test_a_bad_date_is_refused(place, day):
    code, _, err = place.run("new", "auth", "--date", day)
    assert code == 2
    assert "YYYY-MM-DD" in err


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
