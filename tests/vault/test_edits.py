"""What a person writes into a note at the very moment in which a command writes it."""

import pytest
from cases import cased
from place import debugging
from spooled import spooled

from memoria.rules.rulebook import rulebook
from memoria.vault.storage.journal import Journal

RULES = ("Always run the whole test suite before you push.", "Never commit to main directly.")


@pytest.fixture
def shop(place, tmp_path):
    """A vault with a rule in force and a rule that a person added to, and a project."""
    for number, rule in enumerate(RULES):
        place.transcript(f"s-{number}", *debugging(f"check {number}", number * 20, rule))
    place.run("import")
    place.run("compile")
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Shop\n")
    return folder


def notes(place):
    found = [*(place.vault / "daily").glob("2*.md"), *(place.vault / "knowledge").glob("*/*.md")]
    return [*found, place.vault / "knowledge/log.md"]


def mine(paths):
    for path in paths:
        with path.open("a") as file:
            file.write("- A line of mine.\n")


def without_mine(paths):
    return [path.read_text() for path in paths if path.read_text().count("- A line of mine.") != 1]


def prepared(place, verb):
    """Leave something to do for a verb; give its words."""
    first = rulebook(place.work).rules[0].id
    if verb == "flush":
        spooled(place, "s-9", *debugging("the ninth check", 60))
    if verb == "compile":
        place.transcript("s-9", *debugging("check 0", 60, "Always run the linter first."))
        place.run("import")
    if verb == "lint":
        article = place.vault / "knowledge/concepts/one.md"
        article.parent.mkdir(exist_ok=True)
        head = "---\ntitle: {}\naliases: []\ntags: []\nsources:\n  - daily/2026-03-02.md\n"
        head += "created: 2026-03-02\nupdated: 2026-03-02\n---\n\n# {}\n\n"
        article.write_text(head.format("One", "One") + "It goes with [[concepts/two]].\n")
        other = article.with_name("two.md")
        other.write_text(head.format("Two", "Two") + "It stands alone.\n")
    if verb == "query":
        place.run("query", "--file-back", "Why does check 0 fail?")
        spooled(place, "s-9", *debugging("check 0", 60))
        place.run("flush")
    return {
        "flush": ("flush",),
        "compile": ("compile",),
        "lint": ("lint", "--fix", "--structural-only"),
        "query": ("query", "--file-back", "Why does check 0 fail?"),
        "promote": ("promote", first),
        "remember": ("remember", "Always keep the port in the settings file."),
        "reject": ("reject", first),
    }[verb]


VERBS = ("flush", "compile", "lint", "query", "promote", "remember", "reject")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("moment", ["_prepare", "_finish"])
def test_an_edit_between_the_reading_and_the_writing_stays(place, shop, monkeypatch, verb, moment):
    """Before the commit the command is refused and can be repeated; after it both are there."""
    monkeypatch.chdir(shop)
    words = prepared(place, verb)
    there, real, edits = notes(place), getattr(Journal, moment), []

    def late(self, *arguments):
        if not edits:
            edits.append(1)
            mine(there)
        return real(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, moment, late)
        code, _, err = place.run(*words)
    assert without_mine(there) == []
    assert code in ({0} if moment == "_finish" else {0, 3, 4}), err
    if code:
        assert "was changed by somebody else in the meantime; try again" in err
        assert place.run(*words)[0] == 0
    assert without_mine(there) == []
    assert place.work.vault.journal.conflicts() == []


def test_of_two_changes_of_one_line_the_persons_stays_and_ours_is_put_aside(
    place, shop, monkeypatch
):
    first = rulebook(place.work).rules[0]
    path, real = place.vault / f"knowledge/{first.path}.md", Journal._finish

    def late(self, *arguments):
        path.write_text(path.read_text().replace("status: active", "status: retired"))
        return real(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "_finish", late)
        place.run("reject", first.id)
    assert "status: retired" in path.read_text()
    (aside,) = place.work.vault.journal.conflicts()
    assert "status: rejected" in aside.read_text()
    # the approval is gone: no session is given it before the person has looked at it again
    assert not rulebook(place.work).approvals.get(first.id)


def test_what_an_editor_writes_into_the_file_that_is_just_replaced_comes_back(place, monkeypatch):
    """It holds the file open since before the rename, as one that writes in place does."""
    spooled(place, "s-1", *debugging())
    place.run("flush")
    spooled(place, "s-2", *debugging("the cookie", 30))
    path, real = place.vault / "daily/2026-03-02.md", Journal._finish
    with path.open("a") as file:
        from memoria.vault.storage.roll_forward import FileRollForward

        land = FileRollForward.land

        def late(self):
            land(self)
            if self._path == path:
                file.write("- A line of mine.\n")
                file.flush()

        monkeypatch.setattr(FileRollForward, "land", late)
        assert place.run("flush")[0] == 0
    assert real is Journal._finish
    text = path.read_text()
    assert text.count("- A line of mine.") == 1
    assert text.count("### Session") == 2


@cased()
def test_what_a_sync_client_brought_is_told_of_and_not_read(place, shop, name):
    plan = place.vault / "knowledge/concepts/plan.md"
    plan.parent.mkdir(exist_ok=True)
    plan.write_text("---\ntitle: Plan\n---\n\n# Plan\n\nIt is about the harbour.\n")
    rule = next((place.vault / "knowledge/rules").glob("*.md"))
    path = place.vault / "knowledge" / name.replace("RULE", rule.stem)
    text = rule.read_text().replace("id: wf-", "id: dk-") if "RULE" in name else "# The zebra\n"
    path.write_text(text)
    before = place.json("status")
    place.run("compile", "--all")
    work = place.work
    assert not [one for one in work.vault.articles.paths() if " " in one or "sync" in one]
    assert work.vault.pages()[1] == []
    assert "zebra" not in place.run("search", "zebra")[1].lower()
    assert place.json("status")["rules"] == before["rules"]
    assert path.read_text() == text
    checks = {one["name"]: one for one in place.json("doctor")["checks"]}
    assert not checks["synced files"]["ok"]
    assert path.name in checks["synced files"]["detail"]
    findings = place.json("lint", "--structural-only")["findings"]
    assert [one["path"] for one in findings if one["check"] == "sync-conflicts"] == [
        path.resolve().relative_to(place.vault).as_posix()
    ]
