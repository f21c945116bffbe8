"""Taking a step back: files, ledger and what is derived from it are as if it had never been."""

import errno
import json
from dataclasses import replace

import pytest
from notes import concept
from place import AGENT, debugging, state_of
from ruled import approvals, keep, made
from scripted import ScriptedModel

from memoria import refresh
from memoria.compile.service import Compiler
from memoria.rules.model import rule_id, text_hash
from memoria.search.service import refresh_index
from memoria.vault import index
from memoria.vault.storage.journal import Journal

RULE = "Always run the tests before you commit, because CI is slow."
OTHER = "Never push to the main branch of the shop."


def captured(place, first=0, sessions=2, rule=RULE):
    """Capture sessions on one branch, some of them on the next day."""
    for number in range(first, first + sessions):
        about = ("the token check", "the cookie check", "the login check")[number % 3]
        at = number * 20 + (24 * 60 if number % 2 else 0)
        lines = debugging(about, at, rule if number == first else "")
        place.transcript(f"s-{number}", *(one | {"gitBranch": "ana/utc-expiry"} for one in lines))
    place.json("import")


def compiled(place, *answers):
    """Compile with a model that says of each day what it is told to; give what came of it."""
    names = {"title": "Token expiry", "lead": "Expiry is compared in UTC."}
    articles = [concept("token-expiry", (line, entry), **names) for entry, line in answers]
    model = ScriptedModel([{"articles": [article], "rules": []} for article in articles])
    return Compiler(place.work, model).compile()


def entries(place):
    """Give the ids of the entries that wait for a compile, oldest first."""
    vault = place.work.vault
    found = [block.entry.id for day in vault.logs() for block in vault.log(day).blocks]
    return [one for one in found if one not in vault.history().compiled]


def both(place):
    """Compile two days."""
    one, other = entries(place)
    lines = "Tokens expire after an hour.", "Cookies are compared in UTC, too."
    return compiled(place, (one, lines[0]), (other, lines[1]))


def knowledge(place):
    """Give the notes, without what only tells of the past."""
    return {
        name: data
        for name, data in place.files().items()
        if name.startswith("knowledge/") and name != "knowledge/log.md"
    }


def derived(place):
    """Give what has to agree with the ledger, but for money and the time of day."""
    root = state_of(place.vault)
    names = ["approvals.json", "bandit.json"]
    paths = [root / name for name in names if (root / name).exists()]
    found = {path.name: json.loads(path.read_bytes()) for path in paths}
    state = json.loads((root / "state.json").read_bytes())
    injected = {path.name: path.read_bytes() for path in (root / "inject").iterdir()}
    return found, state["ingested"], injected


def hits(place, words):
    return {hit.path for hit in refresh_index(place.work).find(words, scope="articles")}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def test_a_compile_of_several_days_is_one_step_and_compiles_again_to_the_same_bytes(place):
    captured(place)
    place.run("compile", "--dry-run")
    before = knowledge(place)
    assert "nothing to take back" in place.err("undo", code=2)
    assert both(place).entries == 2
    after, learned = knowledge(place), derived(place)
    (step,) = place.json("undo", "--list")
    assert hits(place, "cookies")
    written = place.files(), place.ledger()
    err = place.err("undo", "--dry-run")
    assert (place.files(), place.ledger()) == written
    assert "remove knowledge/concepts/" in err
    assert "Taken back" in place.err("undo")
    for number, said in (
        (step["step"], "taken back already"),
        (99, "no step 99"),
        ("x", ""),
        (0, ""),
    ):
        assert said in place.err("undo", str(number), code=2)
    assert knowledge(place) == before
    assert derived(place)[1] == {}
    assert not hits(place, "cookies")
    assert "undo | compile" in (place.vault / "knowledge/log.md").read_text()
    assert both(place).entries == 2
    assert knowledge(place) == after
    assert derived(place)[0] == learned[0]
    assert derived(place)[2] == learned[2]


def whole(place):
    """Give all that a step may change, and what is derived of it, but for what only tells."""
    state = state_of(place.vault)
    names = ("AGENTS.md", ".gitignore", ".gitattributes")
    files = [place.vault / name for name in names]
    files += [one for one in (state / "written").rglob("*") if one.is_file()]
    files += [state / "bandit.json", *sorted((state / "inject").iterdir())]
    found = {str(path): path.read_bytes() for path in files if path.exists()}
    told = ("knowledge/log.md", "knowledge/index.md")
    notes = {name: data for name, data in place.files().items() if name not in told}
    return found, notes, approvals(place), rows(place)


def rows(place):
    """Give the rules and the records that count, as a person is shown them."""
    history = place.work.vault.history()
    kinds = ("session", "judged", "promote", "opinion")
    records = {kind: len(history.records_of(kind)) for kind in kinds}
    return place.json("status")["rules"], records, sorted(history.sessions), history.compiled


def another_tool(place):
    entry = "# Auth\n\n## Improvements\n\n### Workflow\n\n- Always write a failing test first\n"
    rejected = json.dumps({"skill_ids": [rule_id("workflow", "Always write a failing test first")]})
    root = place.root / "buildlog"
    (root / ".buildlog").mkdir(parents=True)
    (root / "2026-01-15-auth.md").write_text(entry)
    (root / ".buildlog/rejected.json").write_text(rejected)
    return "import", "--from", str(root)


def review(place):
    path = place.root / "review.md"
    path.write_text("Every handler has to check the tenant first.\n\nAlways name the owner.\n")
    return "learn", "--from-review", str(path)


def mended(place):
    captured(place)
    both(place)
    path = place.vault / "knowledge/index.md"
    path.write_text(path.read_text().replace("|", "| ", 1) + "| [[concepts/none]] | x | y | z |\n")
    place.work.vault.articles.refresh()
    link = place.vault / "knowledge/concepts/other.md"
    text = (place.vault / "knowledge/concepts/token-expiry.md").read_text()
    link.write_text(text.replace("Token expiry", "Other") + "\nSee [[concepts/token-expiry]].\n")
    return "lint", "--structural-only", "--fix"


def updated(place):
    new = (place.vault / "AGENTS.md").read_text()
    old = new.replace("| tool | `tools/` |", "| gadget | `gadgets/` |")
    assert old != new
    (place.vault / "AGENTS.md").write_text(old)
    (state_of(place.vault) / "written/AGENTS.md").write_text(old)
    place.run("flush")
    return ("update",)


def opposite(place):
    place.run("remember", "Always push to the main branch of the shop.")
    return "remember", "Never push to the main branch of the shop."


@pytest.mark.parametrize("prepared", [another_tool, review, mended, updated, opposite])
def test_whatever_a_verb_wrote_is_one_step_and_all_that_follows_from_it_comes_back(
    place, prepared, shop
):
    words = prepared(place)
    refresh.refresh(place.work)
    steps, before = place.json("undo", "--list"), whole(place)
    assert place.run(*words)[0] == 0
    after = whole(place)
    assert after != before
    assert len(place.json("undo", "--list")) == len(steps) + 1
    assert place.run("undo")[0] == 0
    assert whole(place) == before
    vault = place.work.vault
    derived_index = index.render_index(
        (vault.articles[one] for one in vault.articles), vault.schema
    )
    assert (place.vault / "knowledge/index.md").read_text() == derived_index
    number = place.json("undo", "--list")[0]["step"]
    assert place.run("undo", str(number))[0] == 0
    assert whole(place) == after
    assert place.run("undo")[0] == 0
    # and it can be done again, as if it had never been
    assert place.run(*words)[0] == 0
    assert whole(place)[1:] == after[1:]


def test_what_changed_no_file_is_no_step_and_steps_are_numbered_one_by_one(place):
    captured(place)
    for words in ("Run the linter first", "Run the formatter last"):
        place.run("remember", words)
    compiled(place, *[(name, "Expiry is compared in UTC.") for name in entries(place)])
    place.run("compile")
    place.run("compile", "--all")
    rows = place.json("undo", "--list")
    assert [(row["step"], row["label"]) for row in reversed(rows)][:3] == [
        (1, "remember"),
        (2, "remember"),
        (3, "compile"),
    ]
    assert all(row["files"] for row in rows)
    assert place.json("undo", "3")["undone"] is True
    assert place.json("undo", "--list")[0]["step"] == len(rows) + 1


def test_an_edit_since_is_kept_and_merged_where_that_is_safe(place):
    captured(place)
    both(place)
    path = place.vault / "knowledge/concepts/token-expiry.md"
    first = path.read_bytes()
    captured(place, 2, 1)
    compiled(place, (entries(place)[0], "Logins are compared in UTC, too."))
    lead = b"Expiry is compared in Zulu time."
    path.write_bytes(path.read_bytes().replace(b"Expiry is compared in UTC.", lead))
    assert place.run("undo")[0] == 0
    assert path.read_bytes() == first.replace(b"Expiry is compared in UTC.", lead)
    assert b"Zulu" in (place.vault / "knowledge/index.md").read_bytes()


def test_an_edit_of_what_would_go_leaves_the_file_and_names_it(place):
    captured(place)
    both(place)
    path = place.vault / "knowledge/concepts/token-expiry.md"
    mine = path.read_bytes().replace(b"UTC", b"Zulu time")
    path.write_bytes(mine)
    err = place.err("undo", code=1)
    assert path.read_bytes() == mine
    assert "left: knowledge/concepts/token-expiry.md: it was changed since" in err
    assert "token-expiry" in (place.vault / "knowledge/index.md").read_text()


def test_a_file_that_a_promotion_made_goes_with_its_folders_and_words_around_one_stay(place, shop):
    keep(place, made(RULE, frequency=4))
    place.run("promote", made(RULE).id, "--target", "skill")
    assert (shop / ".claude").is_dir()
    place.run("undo")
    assert not (shop / ".claude").exists()
    target = shop / "CLAUDE.md"
    target.write_text("# Shop\n\nOne.\n\nTwo.\n")
    place.run("promote", made(RULE).id)
    target.write_text(target.read_text().replace("# Shop\n", "# The shop\n"))
    assert place.run("undo")[0] == 0
    assert target.read_text() == "# The shop\n\nOne.\n\nTwo.\n"


def test_an_agent_takes_no_promotion_back_and_brings_none_back(place, shop):
    place.run("remember", RULE)
    place.run("promote", made(RULE).id)
    target, agent = shop / "CLAUDE.md", replace(place, driver=AGENT)
    assert "Proposed, not done: memoria undo " in agent.err("undo")
    assert RULE in target.read_text()
    place.run("undo")
    assert not target.exists()
    step = place.json("undo", "--list")[0]["step"]
    value = agent.json("undo", str(step))
    assert value["command"] == f"memoria undo {step}"
    assert not target.exists()
    assert place.run("undo", str(step))[0] == 0
    assert RULE in target.read_text()


def test_a_link_that_came_since_is_not_followed(place, shop):
    keep(place, made(RULE, frequency=4))
    (shop / "docs").mkdir()
    place.run("promote", made(RULE).id, "--dir", str(shop / "docs"))
    (shop / "docs").rename(shop / "other")
    (shop / "docs").symlink_to(shop / "other")
    assert "a link lies on its way now" in place.err("undo", code=1)
    assert RULE in (shop / "other/CLAUDE.md").read_text()


def test_a_decision_is_withdrawn_and_leaves_the_files_that_it_reached(place, shop):
    keep(place, made(RULE, frequency=4))
    identity = made(RULE).id
    place.run("remember", RULE)
    assert approvals(place) == {identity: text_hash(RULE)}
    place.run("promote", identity)
    step = next(one for one in place.json("undo", "--list") if one["label"] == "remember")
    assert place.run("undo", str(step["step"]))[0] == 0
    assert not approvals(place)
    assert not (shop / "CLAUDE.md").exists()


def test_a_later_approval_of_another_rule_stands(place):
    place.run("remember", RULE)
    place.run("remember", OTHER)
    step = place.json("undo", "--list")[-1]
    assert place.run("undo", str(step["step"]))[0] == 0
    assert list(approvals(place)) == [made(OTHER).id]
    assert not list((place.vault / "knowledge/rules").glob("*tests*"))


def test_an_undo_whose_disk_failed_is_finished_and_no_other_step_goes_with_it(place, monkeypatch):
    place.run("remember", RULE)
    place.run("remember", OTHER)

    def failing(*_):
        raise OSError(errno.EIO, "Input/output error", "the disk")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_finish", failing)
        assert "Input/output error" in place.err("undo", code=3).splitlines()[-1]
    assert "interrupted is finished" in place.err("undo")
    assert list(approvals(place)) == [made(RULE).id]
    assert place.run("undo")[0] == 0
    assert not approvals(place)


def test_an_undo_whose_derived_files_fail_is_done(place, monkeypatch):
    place.run("remember", RULE)

    def failing(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "state.json")

    with monkeypatch.context() as patch:
        patch.setattr("memoria.cli.undo.encode_json", failing)
        assert "not up to date yet" in place.err("undo")
    assert approvals(place) == {}
