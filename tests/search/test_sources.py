import re
import shutil

import pytest
from place import debugging
from ruled import SHOP, keep, made
from transcript_lines import say, user

from memoria.rules.review.waiting import list_unnoted
from memoria.rules.rulebook import Ruling, decide

CAUSE = (
    "The root cause: `tokens.py` compared a local time with a UTC expiry for the token check, so "
    "every session token looked expired two hours early."
)
COMMIT = "Compare expiry in UTC for the token check"
RULE = "Always run the tests before you commit, because CI is slow."


# the article of the fixture, and its line that the session said
PATH, NUMBER = "concepts/token-expiry", 13


@pytest.fixture
def vault(place):
    """A vault with a captured session, its transcript, and an article that tells of it."""
    place.path = place.transcript("s-0", *debugging(rule=RULE), project="-home-ana-shop")
    assert place.run("import")[0] == 0
    (place.block,) = place.work.vault.log(place.work.vault.logs()[0]).blocks
    place.link = f"[[daily/2026-03-02#^{place.block.entry.id}]]"
    lines = (f"- {CAUSE} ({place.link})", f"- {COMMIT} ({place.link})")
    write(place, "concepts/token-expiry", "Token expiry", "\n".join(lines))
    return place


def write(place, path, title, line):
    note = place.vault / f"knowledge/{path}.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text(
        f"---\ntitle: {title}\nsources:\n  - daily/2026-03-02.md\n---\n\n# {title}\n\n"
        f"How long tokens last.\n\n## Errors and Fixes\n\n{line}\n\n"
        "## Sources\n\n- [[daily/2026-03-02]] - Debugging\n"
    )


def why(place, name):
    code, out, err = place.run("why", name)
    assert code == 0, err
    return out


def log_line(place, words):
    lines = place.log().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


# -- An article's line -----------------------------------------------------------------------------


def test_a_line_leads_to_its_entry_session_turn_and_question(vault):
    found = vault.json("why", f"{PATH}:{NUMBER}")
    (source,) = found["sources"]
    assert (found["path"], found["line"]) == (f"knowledge/{PATH}.md", NUMBER)
    assert source["path"] == "daily/2026-03-02.md"
    assert source["line"] == log_line(vault, "### Session")
    assert (source["session"], source["sure"], source["turn"]) == ("s-0", "exact", 1)
    assert source["at"].startswith("2026-03-02T")
    assert (source["transcript"], source["exists"]) == (str(vault.path), True)
    assert source["asked"].startswith("Why does the token check fail for users east of Greenwich?")
    # it is named in many ways
    inside = f"knowledge/{PATH}.md"
    names = (PATH, inside, "token-expiry", "token-expiry.md", "Token expiry", f"[[{PATH}")
    for name in (*names, f"./{inside}", f"{vault.vault}/{inside}"):
        asked = f"{name}:{NUMBER}" + "]]" * name.startswith("[[")
        assert vault.json("why", asked)["line"] == NUMBER, name


def test_without_a_line_all_lines_are_traced_in_brief(vault):
    found = vault.json("why", PATH)
    rows = {row["line"]: row for row in found["lines"]}
    assert rows[NUMBER]["sources"][0]["sure"] == "exact"
    assert "asked" not in rows[NUMBER]["sources"][0]
    out = why(vault, PATH)
    assert f"knowledge/{PATH}.md  {found['title']}\n" in out
    brief = rf"^ +{NUMBER + 1}  .+\n +daily/2026-03-02.md:\d+, .+, turn 1, exact\)$"
    assert re.search(brief, out, re.MULTILINE)


def test_a_transcript_that_is_gone_is_named_and_the_turn_stays(vault):
    out = why(vault, f"{PATH}:{NUMBER}")
    assert "session s-0 of " in out
    assert f"transcript {vault.path}\n" in out
    assert "asked: Why does the token check fail" in out
    vault.path.unlink()
    (source,) = vault.json("why", f"{PATH}:{NUMBER + 1}")["sources"]
    assert (source["transcript"], source["exists"], source["turn"]) == (str(vault.path), False, 1)
    assert "asked" not in source
    assert f"transcript {vault.path} (no longer there)" in why(vault, f"{PATH}:{NUMBER}")


def test_a_transcript_that_was_moved_is_found_and_a_broken_one_costs_the_question_alone(vault):
    other = vault.projects / "-home-ana-other"
    other.mkdir()
    moved = shutil.move(vault.path, other / "s-0.jsonl")
    (source,) = vault.json("why", f"{PATH}:{NUMBER}")["sources"]
    assert (source["transcript"], source["exists"]) == (str(moved), True)
    assert source["asked"]
    moved.unlink()
    vault.path.mkdir()
    (source,) = vault.json("why", f"{PATH}:{NUMBER}")["sources"]
    assert (source["session"], source["exists"]) == ("s-0", False)


def test_the_second_part_of_a_session_has_turns_of_its_own(place):
    first = debugging("the token check")
    path = place.transcript("s-0", *first)
    place.run("import")
    place.transcript("s-0", *first, *debugging("the cookie parser", 20))
    place.run("import")
    found = place.json("why", "daily/2026-03-02")
    assert len(found["sources"]) == 2
    number = log_line(place, "UTC expiry for the cookie parser")
    (source,) = place.json("why", f"daily/2026-03-02:{number}")["sources"]
    assert source["entry"] == found["sources"][1]["entry"]
    assert source["asked"].startswith("Why does the cookie parser fail")
    assert source["transcript"] == str(path)


def test_a_line_whose_words_a_person_changed_is_traced_by_its_link(vault):
    file = vault.vault / f"knowledge/{PATH}.md"
    lines = file.read_text().split("\n")
    lines[NUMBER - 1] = f"- Tokens looked expired two hours early. ({vault.link})"
    lines[NUMBER] = f"- {COMMIT} ([[daily/2026-03-02]])"
    file.write_text("\n".join(lines))
    for at, sure in ((NUMBER, "cited"), (NUMBER + 1, "exact")):
        (source,) = vault.json("why", f"{PATH}:{at}")["sources"]
        assert (source["sure"], source["session"]) == (sure, "s-0")


def test_a_line_that_a_person_wrote_has_no_source(vault):
    file = vault.vault / f"knowledge/{PATH}.md"
    text = file.read_text() + "\n## Mine\n\nPostgres arrays start at one.\n"
    text += "\n- Elephants never forget. ([[daily/2026-03-02]])\n- Gone. ([[daily/2020-01-01]])\n"
    file.write_text(text)
    lines = text.splitlines()
    bare = vault.json("why", f"{PATH}:{lines.index('Postgres arrays start at one.') + 1}")
    assert bare["sources"] == []
    out = why(vault, f"{PATH}:{lines.index('Postgres arrays start at one.') + 1}")
    assert "no entry says this: a person wrote it, or its entry is gone" in out
    out = why(vault, f"{PATH}:{lines.index('- Gone. ([[daily/2020-01-01]])') + 1}")
    assert "daily/2020-01-01.md: that log is gone or empty" in out
    at = ["Elephants" in line for line in lines].index(True) + 1
    assert "no entry of that day says so" in why(vault, f"{PATH}:{at}")


def test_an_answer_names_the_pages_that_it_was_made_from(vault):
    place, path = vault, PATH
    folder = place.vault / "knowledge/qa"
    folder.mkdir(exist_ok=True)
    (folder / "how-long.md").write_text(
        f'---\ntitle: "Q: How long?"\nconsulted:\n  - "{path}"\n---\n\n# Q: How long?\n\nAn hour.\n'
    )
    assert place.json("why", "how-long")["consulted"] == [path]
    assert f"made from {path}" in why(place, "qa/how-long")


# -- A rule ----------------------------------------------------------------------------------------


def rule_id(place):
    """Compile, and give the id and the note of the rule that the user stated."""
    assert place.run("compile", "--engine", "offline")[0] == 0
    (path,) = (place.vault / "knowledge/rules").glob("*.md")
    return re.search(r"^id: (\S+)", path.read_text(), re.MULTILINE)[1], path


def test_a_rule_leads_to_the_user_s_words(vault):
    identity, path = rule_id(vault)
    found = vault.json("why", identity)
    assert (found["id"], found["status"], found["in_force"]) == (identity, "active", True)
    assert found["why_not"] is None
    (said,) = found["evidence"]
    assert "Always run the tests before you commit" in said["words"]
    assert said["session"] == "s-0"
    assert said["path"] == "daily/2026-03-02.md"
    out = why(vault, identity[:7])
    assert "  active\n" in out
    assert "decided: by nobody; its own words say that it lasts" in out
    assert vault.json("why", f"knowledge/rules/{path.name}")["id"] == identity
    line = ['- "' in line for line in path.read_text().splitlines()].index(True) + 1
    assert len(vault.json("why", f"rules/{path.stem}:{line}")["evidence"]) == 1


def test_what_was_decided_and_why_it_is_not_in_force(vault):
    identity, path = rule_id(vault)
    decide(vault.work, [Ruling(identity, "rejected", "reject")])
    found = vault.json("why", identity)
    assert (found["in_force"], found["why_not"]) == (False, "it was rejected")
    (decision,) = found["decisions"]
    assert (decision["status"], decision["by"]) == ("rejected", "reject")
    out = why(vault, identity)
    assert "rejected, not used: it was rejected" in out
    assert re.search(r"decided: \S+T\S+ rejected by reject", out)
    path.write_text(path.read_text().replace("status: rejected", "status: active"))
    assert "active in its note" in vault.json("why", identity)["why_not"]


def test_a_note_that_this_machine_did_not_write_is_no_word_of_the_user_s(vault):
    identity, path = rule_id(vault)
    assert vault.json("why", identity)["origins"] == []
    pulled = path.read_text().replace("status: active", "status: waiting")
    path.write_text(pulled)
    came = "its note is not as Memoria wrote it here: an edit, or a pull brought it"
    out = why(vault, identity)
    assert came in out
    # in the session of this machine it stands word for word
    assert 'said: "User: Always run the tests' in out
    other = "tool-0123456789"
    text = pulled.replace(identity, other).replace("Always run the tests", "Never use the tests")
    (path.parent / "pulled.md").write_text(text)
    out = why(vault, other)
    assert came in out
    assert 'quoted: "Never use the tests' in out


def test_a_rule_out_of_a_review_says_so_once_it_has_a_note(place):
    page = "---\norigin: review\n---\n\n# Review\n\n## Improvements\n\n- Never log secrets at all\n"
    (place.vault / "daily/2026-03-03-review-pr.md").write_text(page)
    (found,) = place.json("review")
    decide(place.work, [Ruling(found["id"], "active", "review")], new=list_unnoted(place.work))
    out = why(place, found["id"])
    assert "  out of a code review: written by others\nquoted: " in out


def test_what_was_said_at_the_terminal_is_said(place, monkeypatch):
    monkeypatch.chdir(place.vault)
    text = "Use tabs in all files"
    assert place.run("remember", text)[0] == 0
    (rule,) = place.json("status")["rules"]
    assert f'\nsaid: "{text}"' in why(place, rule["id"])


def test_an_overruled_rule(place):
    one, other = keep(place, made("Use tabs"), made("Use spaces"))
    decide(place.work, [Ruling(other, "retired", "supersede", superseded_by=one)])
    stem = next((place.vault / "knowledge/rules").glob("use-spaces*")).stem
    assert f"{one} overruled it" in why(place, f"rules/{stem}")


def test_evidence_of_other_kinds(place):
    quotes = (
        '- "Use tabs" (said at the terminal, 2026-03-02)',
        '- "Use tabs" ([[daily/2026-03-02-style]])',
        '- "Use tabs" ([[daily/2026-03-03-review-pr]])',
        '- "Use tabs" ([[daily/2026-03-04-gone]])',
        '- "Use tabs" ([[daily/2019-01-01]])',
    )
    (identity,) = keep(place, made("Use tabs", quotes=quotes))
    (place.vault / "daily/2026-03-02-style.md").write_text("# Style\n")
    review = "---\norigin: review\nsession: abc\n---\n\n# Review\n"
    (place.vault / "daily/2026-03-03-review-pr.md").write_text(review)
    found = place.json("why", identity)
    assert [one["note"] for one in found["evidence"]] == [
        "said at the terminal, 2026-03-02",
        "you wrote it by hand",
        "out of a code review: written by others",
        "it is not there",
        "that log is gone or empty",
    ]
    assert "daily/2026-03-02-style.md: you wrote it by hand" in why(place, identity)
    (source,) = place.json("why", "daily/2026-03-03-review-pr")["sources"]
    assert source["note"].startswith("out of")
    assert SHOP in why(place, identity)


# -- A log -----------------------------------------------------------------------------------------


def test_a_log_an_entry_and_a_line_of_it(vault):
    found = vault.json("why", "2026-03-02")
    (entry,) = found["sources"]
    assert vault.json("why", entry["entry"])["sources"][0]["session"] == "s-0"
    number = log_line(vault, "local time with a UTC")
    (source,) = vault.json("why", f"daily/2026-03-02.md:{number}")["sources"]
    assert (source["turn"], source["origin"]) == (1, "assistant")
    assert "session s-0" in why(vault, "daily/2026-03-02.md")


def test_a_line_between_the_sessions_is_a_person_s(vault):
    path = vault.vault / "daily/2026-03-02.md"
    path.write_text(path.read_text().replace("## Sessions\n", "## Sessions\n\nMy own note.\n"))
    code, _, err = vault.run("why", f"daily/2026-03-02:{log_line(vault, 'My own note')}")
    assert code == 2
    assert "a person wrote it" in err


def test_a_line_is_found_behind_line_ends_that_markdown_does_not_know(vault):
    vault.transcript("s-1", *debugging("the cookie check", 40), project="-home-ana-shop")
    assert vault.run("import")[0] == 0
    path = vault.vault / "daily/2026-03-02.md"
    note = "My\u2028own" * 20 + "\x0c" * 20
    path.write_text(path.read_text().replace("## Sessions\n", f"## Sessions\n\n{note}\n"))
    lines = vault.log().split("\n")
    heads = [at for at, line in enumerate(lines, 1) if line.startswith("### Session")]
    (found,) = {len(vault.json("why", f"2026-03-02:{at}")["sources"]) for at in heads}
    told = [vault.json("why", f"2026-03-02:{at}")["sources"][0]["line"] for at in heads]
    assert (found, told) == (1, heads)


def test_secrets_and_private_words_of_a_transcript_are_not_shown(place):
    secret = "ghp_" + "b7Kq" * 9
    place.transcript(
        "s-0",
        user(f"Why does the deploy fail? <private>mallory</private> My key is {secret}."),
        *debugging("the deploy", 1)[1:],
        say(f"The deploy fails because the key {secret} has expired since Tuesday.", 40),
    )
    place.run("import")
    out = why(place, "2026-03-02")
    entry = place.json("why", "2026-03-02")["sources"][0]["entry"]
    number = log_line(place, "has expired")
    for text in (out, why(place, entry), why(place, f"2026-03-02:{number}")):
        assert secret not in text
        assert "mallory" not in text
    assert "asked: Why does the deploy fail?" in why(place, f"2026-03-02:{number}")


# -- What is not there -----------------------------------------------------------------------------


WRONG = (
    ("wf-ffffffffff", "there is no rule 'wf-ffffffffff'"),
    ("concepts/nothing-like-it", "nothing here is called 'concepts/nothing-like-it'"),
    ("2020-01-01", "there is no log daily/2020-01-01.md"),
    ("2020-13-41", "there is no log"),
    ("daily/2020-01-01-mine", "there is no file daily/2020-01-01-mine.md"),
    ("e-ffffffffffff", "there is no entry e-ffffffffffff"),
    ("/etc/passwd:1", "is not in the vault"),
    ("../../etc/passwd", "nothing here is called"),
    ("  ", "why what?"),
    ("[[]]", "why what?"),
    ("token-expiry:99999", "has 18 lines, not 99999"),
    ("token-expiry:0", "lines are counted from 1"),
    ("token-expiry:2", "says nothing that was learned; ask for one of lines 9, 13, 14"),
    ("concepts/token-expirx", "did you mean concepts/token-expiry?"),
    ("tokenexpiry", "did you mean token-expiry?"),
    ("log.md", "nothing here is called"),
    ("\x1b[31mred", "nothing here is called 'red'"),
)


def test_a_clear_line_for_what_is_not_there(vault):
    for name, said in WRONG:
        code, out, err = vault.run("why", name)
        assert (code, out) == (2, ""), name
        assert said in err
        assert err.count("\n") == 1
        assert "\x1b" not in err


def test_several_notes_of_a_name_and_one_that_cannot_be_read(vault):
    twin = vault.vault / "knowledge/connections" / f"{PATH.rpartition('/')[2]}.md"
    twin.parent.mkdir(exist_ok=True)
    shutil.copy(vault.vault / f"knowledge/{PATH}.md", twin)
    code, _, err = vault.run("why", PATH.rpartition("/")[2])
    assert code == 2
    assert f"connections/{twin.stem}" in err
    (vault.vault / f"knowledge/{PATH}.md").write_text("no frontmatter\n")
    assert "has no frontmatter" in vault.err("why", PATH, code=3)
