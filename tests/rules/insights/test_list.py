from place import debugging

ENTRY = "# Auth API\n\n## Improvements\n\n### Workflow\n\n- Run the tests\n- Twice\n"


def write(place, name, text=ENTRY):
    (place.vault / "daily" / f"{name}.md").write_text(text, encoding="utf-8")


def test_entries_come_newest_first(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    log = place.vault / "daily" / "2026-03-02.md"
    log.write_text(log.read_text() + "\n**Lessons Learned:**\n- A local time is no UTC time\n")
    write(place, "2026-03-09-forms", "# Forms\n")
    write(place, "2026-03-01-auth")
    found = place.json("list")
    assert [one["path"] for one in found] == [
        "daily/2026-03-09-forms.md",
        "daily/2026-03-02.md",
        "daily/2026-03-01-auth.md",
    ]
    assert found[2] == {
        "date": "2026-03-01",
        "time": "",
        "kind": "written",
        "title": "Auth API",
        "project": "",
        "improvements": 2,
        "path": "daily/2026-03-01-auth.md",
        "edited": False,
    }
    assert (found[1]["kind"], found[1]["time"]) == ("captured", "10:10")
    assert found[1]["project"].endswith("shop")
    assert found[1]["improvements"] > 0
    assert found[1]["edited"]
    code, out, _ = place.run("list")
    assert code == 0
    assert [line[:10] for line in out.splitlines()] == ["2026-03-09", "2026-03-02", "2026-03-01"]
    assert out.splitlines()[2] == "2026-03-01       written   Auth API (2 improvements)"
    assert "(no improvements)" in out.splitlines()[0]
    assert "captured" in out.splitlines()[1]


def test_a_title_cannot_steer_the_terminal(place):
    write(place, "2026-03-01-a", "# \x1b[2J\u202eevil\tx\n")
    _, out, _ = place.run("list")
    assert out == "2026-03-01       written   evil x (no improvements)\n"
