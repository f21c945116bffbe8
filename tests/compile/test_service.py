import json
from datetime import UTC, date, datetime, timedelta

import pytest
from cases import cased
from place import debugging, state_of
from scripted import ScriptedModel

from memoria.compile.amend import line_id
from memoria.compile.service import Compiler
from memoria.errors import BadReply, RateLimited, Unreachable

RULE = "Always run the tests before you commit, because CI is slow."


def imported(place, sessions=2, rule=""):
    for number in range(sessions):
        about = ("the token check", "the cookie check", "the login check")[number % 3]
        lines = debugging(about, number * 20, rule if number == 0 else "")
        place.transcript(f"s-{number}", *lines)
    assert place.json("import")["entries"] == sessions


def entry_ids(place, day="2026-03-02"):
    return [block.entry.id for block in place.work.vault.log(date.fromisoformat(day)).blocks]


@pytest.fixture
def entry(place):
    """Import a session; give its entry."""
    imported(place, 1)
    (found,) = entry_ids(place)
    return found


@pytest.fixture
def ruled(place):
    """Import a session in which the user states a rule; give its entry."""
    imported(place, 1, RULE)
    (found,) = entry_ids(place)
    return found


def compiled(place, *replies, kind=ScriptedModel, **options):
    """Compile with a model that gives these replies; give what was done."""
    return Compiler(place.work, kind(replies)).compile(**options)


def asked(place, *replies, **options):
    """Compile with a model that gives these replies; give the prompts that it was asked by."""
    model = ScriptedModel(replies)
    Compiler(place.work, model).compile(**options)
    return [request.prompt for request in model.requests]


def refusals(outcome):
    return [refusal["reason"] for refusal in outcome.refused]


def write_log(place, *sessions, day="2026-03-05"):
    """Write a log by hand: of each session its title and its lessons."""
    blocks = (
        f"### Session (10:{at:02}) - {title}\n\n**Lessons Learned:**\n"
        + "".join(f"- {line}\n" for line in lines)
        for at, (title, *lines) in enumerate(sessions)
    )
    text = f"# Daily Log: {day}\n\n## Sessions\n\n" + "\n".join(blocks)
    (place.vault / f"daily/{day}.md").write_text(text)


def test_what_a_person_ticks_is_not_left_open_after_a_compile(place):
    """A box in the entry itself, and one of a later day in the same words."""
    form = "# Daily Log: {}\n\n## Sessions\n\n### Session (10:00) - Work\n\n**Action Items:**\n{}"
    first, later = (place.vault / f"daily/2026-03-0{day}.md" for day in (4, 5))
    first.write_text(form.format("2026-03-04", "- [ ] Rotate the keys.\n- [ ] Cut v2.0.\n"))
    later.write_text(form.format("2026-03-05", "- [x] cut v2.0.\n- [ ] Tell the team of v2.0.\n"))
    place.do("compile")
    home = (place.vault / "HOME.md").read_text().partition("## Left open")[2]
    assert ("Rotate" in home, "Cut v2.0" in home, "Tell the team" in home) == (True, False, True)
    first.write_text(first.read_text().replace("- [ ] Rotate", "- [x] Rotate"))
    assert "Nothing new" in place.err("compile")
    assert "Rotate" not in (place.vault / "HOME.md").read_text()


def test_all_brings_back_nothing_that_a_person_took_out_or_corrected(place):
    lines = [
        "The invoice renderer takes 9.2 seconds because each invoice builds its own font cache.",
        "The invoice renderer leaks memory because the layout tree of an invoice is never freed.",
        "The invoice renderer fails on empty invoices because the total has no currency at all.",
        "The invoice renderer is started once per worker, since its fonts load for four seconds.",
    ]
    write_log(place, ("Invoice renderer", *lines[:2]), day="2026-03-04")
    write_log(place, ("Invoice renderer again", *lines[2:]), day="2026-03-05")
    place.do("compile")
    (page,) = (place.vault / "knowledge/concepts").glob("*.md")
    before = page.read_text()
    place.do("compile", "--all")
    assert page.read_text() == before  # nothing was edited
    rows = [row for row in before.splitlines(keepends=True) if row.startswith("- The invoice")]
    edited = before.replace(rows[0], "").replace(rows[1], rows[1].replace(" because", ", since"))
    page.write_text(edited)
    place.do("compile", "--all")
    assert [path.read_text() for path in page.parent.glob("*.md")] == [edited]
    page.unlink()
    place.do("compile", "--all")
    assert page.read_text() == before


FRONT = "aliases: []\ntags: []\nsources: []\ncreated: 2026-03-01\nupdated: 2026-03-01"


def write_page(place, path, title, body):
    page = place.vault / f"knowledge/{path}.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"---\ntitle: {title}\n{FRONT}\n---\n\n# {title}\n\n{body}\n")


def answer(entry, *, slug="session-tokens", **more):
    article = {
        "kind": "concept",
        "slug": slug,
        "title": "Session tokens",
        "lead": "Session tokens are compared in UTC. They expire after an hour.",
        "sections": [
            {
                "heading": "Key Points",
                "prose": "",
                "lines": [{"text": "Expiry is stored and compared in UTC.", "entry": entry}],
            }
        ],
        "entries": [entry],
        "aliases": ["tokens"],
        "tags": ["auth"],
        "related": [],
        "connects": [],
    }
    return {"articles": [article | more], "rules": []}


def test_a_rule_is_in_force_and_told_as_soon_as_its_session_is_kept(place):
    imported(place, 1, RULE)
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    text = note.read_text()
    assert "status: active" in text
    assert "([[daily/2026-03-02#^e-" in text
    (approved,) = json.loads((state_of(place.vault) / "approvals.json").read_text())
    assert f"id: {approved}\n" in text
    (snapshot,) = (state_of(place.vault) / "inject").glob("shop-*.json")
    (rule,) = json.loads(snapshot.read_text())["rules"]
    assert "run the tests before you commit" in rule["text"]
    assert [one["in_force"] for one in place.json("status")["rules"]] == [True]
    assert note.stem in (place.vault / "knowledge/index.md").read_text()
    assert "flush | Rules the user stated" in (place.vault / "knowledge/log.md").read_text()
    place.run("compile")
    place.run("compile", "--all")
    assert note.read_text() == text
    assert list((place.vault / "knowledge/rules").glob("*.md")) == [note]


def test_compiling_everything_again_changes_no_article(place):
    imported(place, 3, RULE)
    place.run("compile")
    before = place.files()
    place.run("compile", "--all")
    after = place.files()
    before.pop("knowledge/log.md")
    after.pop("knowledge/log.md")
    assert after == before


def test_the_same_inputs_give_the_same_bytes(place, tmp_path, monkeypatch, capsys):
    from place import Place

    imported(place, 3, RULE)
    place.run("compile")
    other = Place(tmp_path / "again", capsys)
    other.home.mkdir(parents=True)
    other.run("init")
    assert other.json("import", "--from", str(place.projects))["entries"] == 3
    other.run("compile")
    one, two = place.files(), other.files()
    assert one.keys() == two.keys()
    for name in one.keys() - {"knowledge/log.md"}:
        assert one[name] == two[name], name


def test_a_model_s_patch_is_checked_and_written(place):
    imported(place)
    first, second = entry_ids(place)
    (prompt,) = asked(place, answer(first, entries=[first, second]))
    text = (place.vault / "knowledge/concepts/session-tokens.md").read_text()
    assert f"- Expiry is stored and compared in UTC. ([[daily/2026-03-02#^{first}]])" in text
    assert f"## Sources\n\n- [[daily/2026-03-02#^{first}]] - " in text
    row = "| [[concepts/session-tokens]] | Session tokens are compared in UTC. |"
    assert row in (place.vault / "knowledge/index.md").read_text()
    assert first in prompt
    state = json.loads((state_of(place.vault) / "state.json").read_text())
    assert set(state) >= {"ingested", "query_count", "last_lint", "total_cost"}
    assert set(state["ingested"]["daily/2026-03-02.md"]) == {"hash", "compiled_at", "cost_usd"}


EMPTY = {"articles": [], "rules": []}
SAID = {
    "text": "Always run the tests before a commit",
    "category": "workflow",
    "quote": "Always run the tests before you commit",
}
LATER = (
    "Expiry in local time",
    "Expiry of session tokens is compared in local time, because the audit asks for it.",
)


def test_a_later_entry_replaces_a_line_and_a_second_compile_proposes_nothing(place, entry):
    first = answer(entry)
    compiled(place, first)
    write_log(place, LATER)
    (later,) = entry_ids(place, "2026-03-05")
    old = line_id("Expiry is stored and compared in UTC.")
    line = {"text": "Expiry is compared in local time.", "entry": later, "replaces": old}
    lines = [{"heading": "Key Points", "prose": "", "lines": [line]}]
    second = answer(later, lead="", sections=lines)
    # the model sees the line by its id, and which days it is about
    (prompt,) = asked(place, second)
    assert f"{old}| - Expiry is stored and compared in UTC." in prompt
    assert "The new entries are of 2026-03-05." in prompt
    path = place.vault / "knowledge/concepts/session-tokens.md"
    text = path.read_text()
    assert "- Expiry is compared in local time. ([[daily/2026-03-05]])" in text
    assert (
        "## Before the Change\n\n- Expiry is stored and compared in UTC. (until 2026-03-05, then: "
        f"Expiry is compared in local time) ([[daily/2026-03-02#^{entry}]])" in text
    )
    # the same entries again, in other words
    first["articles"][0]["lead"] = ""
    first["articles"][0]["sections"][0]["lines"][0]["text"] = (
        "Of `tokens`, in UTC expiry is stored, compared."
    )
    line["text"], line["replaces"] = "In local time expiry is compared.", ""
    outcome = compiled(place, first, second, everything=True)
    assert (outcome.created, outcome.updated, outcome.refused) == ([], [], [])
    assert path.read_text() == text


def test_a_model_is_told_of_the_project_s_other_pages_and_shown_none_that_is_far(place, entry):
    page = {"slug": "espresso", "title": "Espresso machine"}
    lead = "It needs descaling. It stands in the kitchen."
    first = answer(entry, **page, lead=lead, aliases=[], sections=[])
    # of a few articles all are shown
    (article,) = first["articles"]
    first["articles"] += [article | {"slug": f"cup{n}", "title": f"Cup {n}"} for n in range(10)]
    compiled(place, first)
    write_log(place, LATER)
    (prompt,) = asked(place, EMPTY)
    assert "concepts/espresso: Espresso machine - It needs descaling." in prompt
    assert "(none near these entries)" in prompt
    # of a page that it was not shown it can add to the lines, and not tell the lead anew
    (later,) = entry_ids(place, "2026-03-05")
    blind = answer(later, **page, lead="It makes coffee.")
    compiled(place, blind, everything=True, days=[date(2026, 3, 5)])
    text = (place.vault / "knowledge/concepts/espresso.md").read_text()
    assert lead in text
    assert "It makes coffee." not in text
    assert "Expiry is stored and compared in UTC." in text


def test_a_page_is_shown_that_entries_call_by_a_name_of_which_all_the_vault_speaks(place, entry):
    place.run("compile")
    lines = (f"Word{n} is what the ledger is told by cause{n}." for n in range(60))
    write_log(place, ("Parts", *lines))
    write_page(place, "concepts/ledger", "ledger", "It keeps sums.")
    for n in range(30):
        text = f"Word{n} and some things of the ledger stand here."
        write_page(place, f"concepts/other{n}", f"other{n}", text)
    place.adopt()
    (prompt,) = asked(place, EMPTY)
    shown = prompt.split(" articles\n")[1].split(">>>")[0]
    assert "It keeps sums." in shown
    assert "other" not in shown


# bytes: 6,000 tokens of four, less some 1,100 for the form and the client's own words
REQUEST = 24_000 - 4_400


@pytest.mark.parametrize("count", [1, 16])
def test_a_request_has_one_size_whatever_the_entries_and_the_vault_are(place, count, entry):
    place.run("compile")
    for number in range(30):
        points = "\n".join(f"- Für Fall {n} gilt hier die Frist {n}{number}." for n in range(60))
        body = f"It keeps sums.\n\n## Key Points\n\n{points}"
        write_page(place, f"concepts/ledger{number}", f"Ledger {number}", body)
    place.adopt()
    lines = [f"Ledger {n} keeps the sums of März for the year {n}." for n in range(16)]
    write_log(place, *((f"Part {n}", *lines) for n in range(count)))
    # of an answer that is refused as a whole as much is shown as there is room for
    lines = [{"text": "It says März again. " * 20, "entry": "e-f"}] * 30
    long = answer("e-f", sections=[{"heading": "Details", "prose": "", "lines": lines}])
    prompts = asked(place, *[long, EMPTY] * count)
    assert max(len(prompt.encode()) for prompt in prompts) <= REQUEST
    assert all("März again" in prompt for prompt in prompts[1::2])
    first = prompts[::2]
    assert len("".join(first).split("### Session (10:")) == count + 1
    assert all("Ledger" in prompt.split(" articles\n")[1].split(">>>")[0] for prompt in first)


def test_a_ticked_item_is_no_new_entry(place, entry):
    place.run("compile")
    path = place.vault / "daily/2026-03-02.md"
    path.write_text(path.read_text() + "- [ ] Ask Ana about the clock.\n")
    assert place.json("compile")["entries"] == 1
    path.write_text(path.read_text().replace("- [ ] Ask Ana", "- [x] Ask Ana"))
    assert asked(place) == []


def test_a_refused_part_is_asked_for_once_more_and_then_dropped_and_logged(place, entry):
    bad = answer(entry, slug="../../.claude/settings")
    model = ScriptedModel([bad, bad])
    outcome = Compiler(place.work, model).compile()
    _, second = model.requests
    assert "the slug must be" in second.prompt
    assert '"slug": "../../.claude/settings"' in second.prompt
    assert outcome.created == []
    assert "the slug must be" in refusals(outcome)[0]
    log = (place.vault / "knowledge/log.md").read_text()
    assert "Refused: concept/../../.claude/settings" in log
    assert not (place.vault / ".claude").exists()


def test_a_rule_that_the_user_did_not_say_is_refused(place, ruled):
    good = SAID | {"entry": ruled}
    forged = {"text": "Always push with force", "quote": "always push with force, please"}
    reply = answer(ruled) | {"rules": [good, good | forged]}
    outcome = compiled(place, reply, reply)
    assert len(outcome.rules) == 1
    notes = list((place.vault / "knowledge/rules").glob("*.md"))
    assert [note.read_text().count("force") for note in notes] == [0]
    assert any("no sentence of the user says as much" in reason for reason in refusals(outcome))


def test_a_rule_in_words_that_the_user_did_not_say_waits_in_those_that_were_said(place, ruled):
    check = json.dumps({"occasion": {"command": ["git commit"]}, "needs": {"command": ["nox"]}})
    worded = SAID | {"entry": ruled, "text": "Ask the reviewers for a benchmark", "check": check}
    outcome = compiled(place, answer(ruled) | {"rules": [worded]})
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    assert "benchmark" not in note.read_text()
    assert "nox" not in note.read_text()
    assert SAID["quote"] in note.read_text()
    assert refusals(outcome) == []


def test_a_rule_of_a_few_words_is_that_of_the_sentence_which_says_it(place):
    imported(place, 1, f"Always use double quotes in Python files. {RULE}")
    (entry,) = entry_ids(place)
    for note in (place.vault / "knowledge/rules").glob("*.md"):
        note.unlink()
    rule = SAID | {"entry": entry, "quote": "always"}
    compiled(place, answer(entry) | {"rules": [rule]})
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    assert "double quotes" not in note.read_text()
    assert SAID["text"] in note.read_text()


def test_a_rule_of_an_earlier_entry_is_refused(place, ruled):
    compiled(place, answer(ruled))
    for note in (place.vault / "knowledge/rules").glob("*.md"):
        note.unlink()
    write_log(place, LATER)
    reply = answer(*entry_ids(place, "2026-03-05")) | {"rules": [SAID | {"entry": ruled}]}
    outcome = compiled(place, reply, reply)
    assert outcome.rules == []
    assert any("no sentence of the user says as much" in reason for reason in refusals(outcome))


def test_the_check_that_an_engine_proposes_with_a_rule(place, ruled):
    said = SAID | {"entry": ruled}
    check = {"occasion": {"command": ["git commit"]}, "needs": {"command": ["make test"]}}
    compiled(place, answer(ruled) | {"rules": [said | {"check": json.dumps(check)}]})
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    assert 'needs: {command: ["make test"]}' in note.read_text()
    assert not (state_of(place.vault) / "guards.json").exists()
    # one that would refuse everything is left out, and these words give no other
    note.unlink()
    wall = said | {"check": {"occasion": {"tools": ["Bash"]}}}
    outcome = compiled(place, answer(ruled) | {"rules": [wall]}, everything=True)
    assert any("refuse nearly every call" in reason for reason in refusals(outcome))
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    assert "occasion" not in note.read_text()


def test_an_entry_edited_by_hand_is_compiled_again_and_stays(place, entry):
    place.run("compile")
    path = place.vault / "daily/2026-03-02.md"
    path.write_text(path.read_text() + "- Mine: the clock of the CI machine is two hours off.\n")
    edited = path.read_text()
    result = place.json("compile")
    assert result["entries"] == 1
    assert path.read_text() == edited
    assert place.json("compile")["entries"] == 0


def test_a_broken_article_is_named_left_and_the_rest_is_compiled(place):
    imported(place)
    broken = place.vault / "knowledge/concepts/session-tokens.md"
    broken.parent.mkdir(exist_ok=True)
    broken.write_text("---\ntitle: [unclosed\n---\n# Mine\n")
    first, _ = entry_ids(place)
    patch = both(answer(first), answer(first, slug="cookies", title="Cookies"))
    outcome = compiled(place, patch, patch)
    assert outcome.created == ["concepts/cookies"]
    assert broken.read_text() == "---\ntitle: [unclosed\n---\n# Mine\n"
    assert any("session-tokens" in line for line in outcome.skipped)
    assert "left as it is" in refusals(outcome)[0]


def test_a_log_that_is_not_utf8_is_named_and_left(place):
    imported(place)
    bad = place.vault / "daily/2026-03-01.md"
    bad.write_bytes(b"# Daily Log\n\xff\xfe\n")
    for options in (("--dry-run",), ("--dry-run", "--json"), ()):
        code, _, err = place.run("compile", *options)
        assert code == 1
        assert "2026-03-01.md is not UTF-8" in err
    assert bad.read_bytes() == b"# Daily Log\n\xff\xfe\n"
    assert "Compiled 2 entries" in err


def test_a_model_out_of_reach_leaves_everything_for_later(place, entry):
    before = place.files()
    with pytest.raises(Unreachable):
        compiled(place, Unreachable("no connection"))
    assert place.files() == before
    assert place.json("compile")["entries"] == 1


def test_what_is_written_while_the_model_works_is_compiled_next_time(place, entry):

    class Slow(ScriptedModel):
        def ask(self, request):
            place.transcript("s-9", *debugging("the late one", 200))
            assert place.json("import")["entries"] == 1
            return super().ask(request)

    compiled(place, answer(entry), kind=Slow)
    assert place.json("compile")["entries"] == 1


def test_an_edit_of_the_article_while_the_model_works_stays(place):
    imported(place)
    first, second = entry_ids(place)
    compiled(place, answer(first))
    path = place.vault / "knowledge/concepts/session-tokens.md"

    class Slow(ScriptedModel):
        def ask(self, request):
            path.write_text(path.read_text().replace("They expire after an hour.", "Mine."))
            return super().ask(request)

    compiled(place, answer(second, lead="Theirs."), kind=Slow, everything=True)
    assert "Mine." in path.read_text()
    assert "Theirs." not in path.read_text()


def test_two_compiles_at_once(place, entry):
    with place.work.vault.state.lock("compile"):
        code, _, err = place.run("compile")
    assert code == 0
    assert "Another compile is running" in err


def test_dry_run_prints_the_patch_and_writes_nothing(place):
    imported(place, 3, RULE)
    page = "# Shop\n\n## Improvements\n\n- Use small commits\n"
    (place.vault / "daily/2026-03-01-shop.md").write_text(page)
    before = place.files()
    code, out, err = place.run("compile", "--dry-run")
    assert code == 0
    assert out.startswith("1 day to compile with the offline engine, and 1 entry of your own ")
    assert "rule: " in out
    assert "--json" in err
    (day,) = place.json("compile", "--dry-run")
    assert day["day"] == "2026-03-02"
    assert day["patch"]["rules"][0]["text"]
    assert place.files() == before


def test_dry_run_shows_what_an_article_would_say(place):
    line = "The invoice renderer fails on empty invoices because the total has no currency at all."
    slow = "The invoice renderer takes 9.2 seconds because each invoice builds its own font cache."
    leak = "The invoice renderer leaks memory because the layout tree of an invoice is never freed."
    write_log(place, ("Invoice renderer", line, slow, leak))
    out = " ".join(place.do("compile", "--dry-run").split())
    assert "2026-03-05 concept " in out
    assert f"Gotchas and Causes: {line}" in out


def test_a_note_that_cannot_be_read_takes_no_projects_page_away(demo_place):
    pages = sorted((demo_place.vault / "knowledge/projects").glob("*.md"))
    for note in (demo_place.vault / "knowledge/concepts").glob("*.md"):
        note.write_text(note.read_text().replace("aliases: []", "aliases: [a, b"))
    for day in demo_place.work.vault.logs():  # what else a page is worth
        (demo_place.vault / f"daily/{day}.md").write_text("")
    demo_place.run("compile")
    assert pages
    assert sorted((demo_place.vault / "knowledge/projects").glob("*.md")) == pages


def test_each_project_has_a_page_of_its_own_whatever_its_name(place):
    folders = ["/home/ana/my-app", "/home/ana/my_app", "/home/ana/игра", "/home/ana/проект"]
    for number in range(8):
        moment = {"cwd": folders[number // 2]}
        lines = [line | moment for line in debugging(f"the check {number}", number * 20)]
        place.transcript(f"s-{number}", *lines)
    assert place.json("import")["entries"] == 8
    log = place.vault / "daily/2026-03-02.md"
    for number in range(8):  # what a page is worth
        head = f"Compare expiry in UTC for the check {number}\n"
        more = f"- Keep queue{number} a tenant, because noisy ones of room{number} starve the rest."
        text = log.read_text()
        at = text.index("**Context:**", text.index(head))
        todo = f"- [ ] Drain `queue{number}.py`\n- [ ] Mend `lease{number}.py`"
        parts = f"**Decisions Made:**\n{more}\n\n**Action Items:**\n{todo}\n\n"
        log.write_text(text[:at] + parts + text[at:])
    assert place.run("compile")[0] == 0
    pages = (place.vault / "knowledge/projects").glob("*.md")
    titles = {page.stem: page.read_text().partition("\n# ")[2].partition("\n")[0] for page in pages}
    assert titles == {
        "my-app": "my-app",
        "my-app-2": "my_app",
        "project": "игра",
        "project-2": "проект",
    }


def test_a_project_s_page_begins_with_its_first_session_however_long_ago_that_was(place):
    last = datetime(2026, 3, 2, 10, tzinfo=UTC)
    for number in (0, 61):  # a refresh reads the latest 60 logs
        moment = {"timestamp": (last - timedelta(days=number)).isoformat()}
        lines = [line | moment for line in debugging(f"the check {number}")]
        lines = [line | {"uuid": f"{number}-{at}"} for at, line in enumerate(lines)]
        place.transcript(f"s-{number}", *lines)
    assert place.json("import")["entries"] == 2
    for number in range(1, 61):
        write_log(place, day=f"{last - timedelta(days=number):%Y-%m-%d}")
    log = place.vault / "daily/2026-03-02.md"
    todo = "".join(f"- [ ] Drain `queue{number}.py`\n" for number in range(4))
    log.write_text(f"{log.read_text()}\n**Action Items:**\n{todo}")
    assert place.run("compile")[0] == 0
    (page,) = (place.vault / "knowledge/projects").glob("*.md")
    assert "Worked on from 2025-12-31 to 2026-03-02, in 2 sessions." in page.read_text()


def test_what_a_dry_run_paid_a_model_for_is_in_the_ledger(place, entry):
    script = place.root / "script.json"
    script.write_text(json.dumps([answer(entry)]))
    assert place.run("compile", "--dry-run", "--engine", f"scripted:{script}")[0] == 0
    assert [call["task"] for call in place.ledger("call")][-1:] == ["compile"]


@cased()
def test_one_file(place, options, code, said, entry):
    found, _, err = place.run("compile", *options)
    assert found == code
    assert said in err


def test_a_broken_state_file_is_made_again(place, entry):
    (state_of(place.vault) / "state.json").write_text("{broken")
    assert place.json("compile")["entries"] == 1
    assert json.loads((state_of(place.vault) / "state.json").read_text())["ingested"]


def test_broken_approvals_are_not_guessed(place):
    (state_of(place.vault) / "approvals.json").write_text("{broken")
    place.transcript("s-0", *debugging("the token check", 0, RULE))
    assert place.run("import")[0] == 3
    # the session is kept all the same
    assert len(entry_ids(place)) == 1
    code, _, err = place.run("compile")
    assert code == 3
    assert "approvals.json is not valid JSON" in err


def test_a_new_kind_of_article_needs_no_code(place, entry):
    agents = place.vault / "AGENTS.md"
    row = "| recipe | `recipes/` | title, servings, sources | Steps; Sources | compile |\n"
    text = agents.read_text()
    agents.write_text(text.replace("| tool | `tools/`", row + "| tool | `tools/`"))
    sections = [{"heading": "Steps", "prose": "", "lines": [{"text": "Stir.", "entry": entry}]}]
    patch = answer(entry, kind="recipe", slug="release", title="Release", sections=sections)
    assert compiled(place, patch).created == ["recipes/release"]
    assert "[[recipes/release]]" in (place.vault / "knowledge/index.md").read_text()
    # what only AGENTS.md knows of is there to be filled in
    assert 'servings: ""' in (place.vault / "knowledge/recipes/release.md").read_text()


def two_days(place):
    place.transcript("s-1", *debugging())
    place.transcript("s-2", *debugging("the cookie check", 2 * 24 * 60))
    assert place.json("import")["entries"] == 2


def test_a_day_that_a_model_cannot_do_does_not_hold_up_the_others(place):
    two_days(place)
    (entry,) = entry_ids(place, "2026-03-04")
    outcome = compiled(place, BadReply("nonsense"), answer(entry))
    assert outcome.days == ["2026-03-04"]
    assert "daily/2026-03-02.md: nonsense" in outcome.skipped[0]
    assert place.json("compile")["entries"] == 1


def test_days_done_before_an_outage_count(place):
    two_days(place)
    (entry,) = entry_ids(place)
    with pytest.raises(Unreachable):
        compiled(place, answer(entry), Unreachable("gone"))
    state = json.loads((state_of(place.vault) / "state.json").read_text())
    assert list(state["ingested"]) == ["daily/2026-03-02.md"]
    assert place.json("compile")["entries"] == 1


def test_a_person_s_edit_stays_however_often_it_is_compiled(place):
    imported(place)
    first, second = entry_ids(place)
    compiled(place, answer(first))
    path = place.vault / "knowledge/concepts/session-tokens.md"
    path.write_text(path.read_text().replace("Session tokens are compared in UTC.", "My words."))
    for lead, entry in (("Theirs.", second), ("Theirs again.", first)):
        line = [{"text": f"A line for {lead}", "entry": entry}]
        section = [{"heading": "Key Points", "prose": "Their prose.", "lines": line}]
        compiled(place, answer(entry, lead=lead, sections=section), everything=True)
        assert "My words." in path.read_text()
        assert f"A line for {lead}" in path.read_text()
        assert "Theirs" not in path.read_text().split("## ")[0]


def test_what_a_person_wrote_into_the_index_is_put_aside_and_named(place, entry):
    place.run("compile")
    index = place.vault / "knowledge/index.md"

    def grow(session, day):
        place.transcript(session, *debugging("the cookie check", day * 24 * 60))
        place.run("import")
        place.run("compile")

    # one that nobody touched is not put aside
    for day in (1, 2):
        grow(f"s-{day}", day)
    assert not (state_of(place.vault) / "journal/conflicts").exists()
    index.write_text(index.read_text() + "\nMy own line.\n")
    grow("s-9", 3)
    assert "My own line." not in index.read_text()
    _, out, _ = place.run("doctor")
    assert "NO  conflicts: 1 versions of notes were put aside" in out
    (aside,) = (state_of(place.vault) / "journal/conflicts").glob("index-*.md")
    assert "My own line." in aside.read_text()


def test_a_rule_s_note_that_cannot_be_read_is_left(place):
    imported(place, 1, RULE)
    place.run("compile")
    (note,) = (place.vault / "knowledge/rules").glob("*.md")
    note.write_text("mine, without frontmatter")
    code, _, err = place.run("compile", "--all")
    assert code == 1
    assert "has no frontmatter" in err
    assert note.read_text() == "mine, without frontmatter"


# -- Refused parts ---------------------------------------------------------------------------------


def both(*answers):
    """Join answers into one."""
    return {"articles": [article for one in answers for article in one["articles"]], "rules": []}


def half_refused(entry):
    """Make an answer of which one article is taken and the other refused."""
    return both(answer(entry), answer(entry, slug="Clock Skew", title="Clock skew"))


@pytest.mark.parametrize("broken", [RateLimited("later"), BadReply("no JSON"), "wrong again"])
def test_a_refused_part_that_is_not_mended_is_named_and_the_rest_is_kept(place, broken, entry):
    bad = answer(entry, slug="Clock Skew", title="Clock skew")
    second = bad if isinstance(broken, str) else broken
    outcome = compiled(place, half_refused(entry), second)
    assert outcome.created == ["concepts/session-tokens"]
    assert [one["part"] for one in outcome.refused] == ["concept/Clock Skew"]
    log = (place.vault / "knowledge/log.md").read_text()
    assert "- Refused: concept/Clock Skew: the slug must be lower-case letters" in log
    assert compiled(place).days == []


def test_what_is_stopped_between_an_answer_and_its_repair_is_asked_for_anew(place, entry):
    class Stopped(ScriptedModel):
        paid = 0

        def ask(self, request):
            if self.requests:
                raise KeyboardInterrupt
            return super().ask(request)

        def paid_in_vain(self, task, reply):
            self.paid += reply.cost.input_tokens

    model = Stopped([half_refused(entry)])
    with pytest.raises(KeyboardInterrupt):
        Compiler(place.work, model).compile()
    assert model.paid == 1
    assert compiled(place, answer(entry)).created == ["concepts/session-tokens"]


def test_a_model_is_told_of_the_kinds_alone_that_it_may_write(place, entry):
    place.run("compile")
    (prompt,) = asked(place, EMPTY, everything=True)
    assert "| concept | `concepts/` |" in prompt
    for kind in ("qa", "rule", "project"):
        assert f"| {kind} | `" not in prompt
    # a page of a project that is a person's own may be added to
    write_page(place, "projects/own", "Shop", "It sells.")
    place.adopt()
    (prompt,) = asked(place, EMPTY, everything=True)
    assert "| project | `projects/` |" in prompt
