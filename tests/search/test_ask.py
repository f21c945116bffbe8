import json

import pytest
from place import AGENT, PERSON, debugging, state_of, told
from scripted import ScriptedModel

from memoria.errors import Unreachable
from memoria.search.answer import UNKNOWN
from memoria.search.ask import Asker
from memoria.search.excerpt import EXTRACTIVE

QUESTION = "How long do session tokens last?"
SLUG = "long-session-tokens-last"


def write(place, path, title, text, front=""):
    note = place.vault / "knowledge" / f"{path}.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(
        f'---\ntitle: "{title}"\n{front}updated: 2026-03-02\n---\n\n# {title}\n\n{text}\n'
    )
    return note


@pytest.fixture
def filled(place):
    line = "- Session tokens last an hour. ([[daily/2026-03-02]])\n- See [[concepts/cookies]]."
    text = f"How tokens work.\n\n## Key Points\n\n{line}"
    write(place, "concepts/session-tokens", "Session tokens", text)
    write(place, "concepts/cookies", "Cookies", "Cookies hold session tokens for a week.")
    write(place, "concepts/deploys", "Deploys", "A deploy waits for the lock of the migration.")
    return place


def reply(answer="An hour ([[concepts/session-tokens]]).", *, known=True, **more):
    return {"known": known, "answer": answer, "citations": [], "follow_ups": []} | more


def scripted(place, answers, *options, question=QUESTION):
    """Run the verb with a script of answers; give code, stdout, stderr."""
    path = place.root / "script.json"
    path.write_text(json.dumps(answers))
    return place.run("query", "--engine", f"scripted:{path}", question, *options)


def filed(place, name=SLUG):
    return place.vault / "knowledge" / "qa" / f"{name}.md"


def log(place):
    return (place.vault / "knowledge/log.md").read_text()


def state(place):
    return json.loads((state_of(place.vault) / "state.json").read_text())


def test_offline_answers_with_quotes_that_link_to_their_pages(filled):
    code, out, err = filled.run("query", QUESTION)
    assert (code, err) == (0, "2 notes read, 1 cited.\n")
    assert out.startswith(EXTRACTIVE)
    assert '- 2026-03-02: "Session tokens last an hour." ([[concepts/session-tokens]])' in out
    found = filled.json("query", QUESTION)
    assert set(found) == {*("answer", "citations", "consulted", "filed", "known", "engine", "cost")}
    assert found["citations"][0] == "concepts/session-tokens"
    assert set(found["citations"]) <= set(found["consulted"])
    assert (found["filed"], found["known"]) == (None, True)
    assert (found["engine"], found["cost"]) == ("offline", 0.0)


def test_what_a_person_wrote_in_a_file_of_its_own_is_an_answer(place):
    name = "daily/2026-03-02-price-cache"
    said = "The price cache lives for ten minutes because suppliers change prices often."
    (place.vault / f"{name}.md").write_text(f"# Cache of prices\n\n## The Goal\n\n{said}\n")
    found = place.json("query", "How long does the price cache live?", "--file-back")
    assert said in found["answer"]
    assert found["citations"] == [name]
    assert f"[[{name}]]" in (place.vault / found["filed"]).read_text()


@pytest.mark.parametrize("question", ["How do we render invoice PDFs?", "Does Chrome need memory?"])
def test_a_decision_that_another_replaced_is_quoted_with_the_day_till_when(place, question):
    old = "We render invoice PDFs with WeasyPrint, because Chrome needs 300 MB of memory."
    new = "We render invoice PDFs with headless Chrome instead of WeasyPrint, which has no grid."
    form = "# Daily Log: {0}\n\n## Sessions\n\n### Session (10:00) - PDFs\n\n"
    form += "**Decisions Made:**\n- {1}\n"
    for day, line in (("2026-03-02", old), ("2026-03-05", new)):
        (place.vault / f"daily/{day}.md").write_text(form.format(day, line))
    before = f"- {old} (until 2026-03-05, see [[daily/2026-03-05]]) ([[daily/2026-03-02]])"
    text = f"On PDFs.\n\n## Decisions\n\n- {new}\n\n## Before the Change\n\n{before}"
    write(place, "concepts/pdfs", "PDFs", text)
    pages = Asker(place.work, ScriptedModel([])).find_pages(question).pages
    assert f"- {old} (until 2026-03-05)" in [
        line for page in pages for line in page.text.split("\n")
    ]
    answer = place.json("query", question)["answer"]
    assert "until 2026-03-05" in answer or new in answer
    assert not {f'- "{old}"', f'- 2026-03-02: "{old}"'} & {
        q.split(" ([[")[0] for q in answer.split("\n")
    }


@pytest.mark.parametrize("status", ["waiting", "active"])
def test_a_rule_that_nobody_approved_is_told_as_one_that_waits(place, status):
    front = f"id: wf-0123456789\nstatus: {status}\n"
    write(place, "rules/fridays", "Never deploy the shop on a Friday", "", front)
    answer = place.json("query", "Which rule is there to deploy the shop on a Friday?")["answer"]
    assert '- not a rule yet: it waits for your review: "Never deploy the shop' in answer


def test_what_a_session_came_to_beside_its_entry_is_not_quoted(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    found = place.json("query", "Why did tokens look expired early in the old code?")
    quotes = [line.split('"')[1] for line in found["answer"].splitlines() if '"' in line]
    assert all(quote in place.log() for quote in quotes)


def test_what_the_model_is_shown_is_framed_whole_and_without_secrets(filled):
    secret = "ghp_" + "b7Kq" * 9
    write(filled, "concepts/login", "Login of session tokens", f"The key is {secret}. Last line.")
    model = ScriptedModel([reply()])
    Asker(filled.work, model).ask(QUESTION)
    prompt = model.requests[0].prompt
    assert "[[concepts/session-tokens]] (concept)\n" in prompt
    assert "- Session tokens last an hour. (2026-03-02)" in prompt
    assert secret not in prompt
    assert "Last line." in prompt
    assert QUESTION in prompt


def test_an_answer_that_cites_something_else_is_asked_for_once_more(filled):
    model = ScriptedModel([reply("An hour ([[concepts/made-up]])."), reply()])
    found = Asker(filled.work, model).ask(QUESTION)
    assert "[[concepts/made-up]] is not one of the pages" in model.requests[1].prompt
    assert found.checked.citations == ("concepts/session-tokens",)
    assert found.reply.cost.input_tokens == 2


BAD = reply("An hour ([[concepts/session-tokens]], [[concepts/made-up]]).")


def test_a_bad_link_that_stays_or_has_no_second_answer_is_taken_out_and_said(filled):
    code, out, err = scripted(filled, [BAD, BAD])
    assert (code, out) == (0, "An hour ([[concepts/session-tokens]]).\n")
    assert "[[concepts/made-up]] is not one of the pages that were shown and was taken out" in err
    for second in (Unreachable("gone"), {"known": "maybe"}):
        found = Asker(filled.work, ScriptedModel([BAD, second])).ask(QUESTION)
        assert found.checked.text == "An hour ([[concepts/session-tokens]])."
        assert found.checked.removed == ("concepts/made-up",)


def test_an_answer_of_no_use_is_asked_for_once_more(filled):
    found = Asker(filled.work, ScriptedModel([reply(" "), reply()])).ask(QUESTION)
    assert found.checked.citations == ("concepts/session-tokens",)
    code, out, err = scripted(filled, [reply(" "), reply(" ")])
    assert (code, out) == (4, "")
    assert "there is no answer" in err


def test_a_page_that_went_while_the_model_worked_is_not_cited(filled):

    class Slow(ScriptedModel):
        def ask(self, request):
            (filled.vault / "knowledge/concepts/session-tokens.md").unlink(missing_ok=True)
            return super().ask(request)

    found = Asker(filled.work, Slow([reply(), reply()])).ask(QUESTION)
    assert found.checked.citations == ()


def test_active_content_and_secrets_of_an_answer_are_made_harmless(filled):
    secret = "ghp_" + "b7Kq" * 9
    text = f"<script>x</script> ![p](https://e.x/p.png) {secret} ([[concepts/session-tokens]])"
    _, out, _ = scripted(filled, [reply(text)], "--file-back")
    for found in (out, filed(filled).read_text()):
        assert "<script" not in found
        assert "![" not in found
        assert secret not in found


def test_an_empty_vault_does_not_know_and_asks_nobody_and_an_empty_question_is_wrong_use(place):
    code, out, _ = scripted(place, [])
    assert (code, out) == (0, f"{UNKNOWN}\n")
    for question in ("", "  \n", "\u200b"):
        code, out, err = place.run("query", question)
        assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("question", ["What is the capital of France?", "Zürich 日本?", '"* OR ('])
def test_offline_says_plainly_what_it_does_not_know(filled, question):
    code, out, err = filled.run("query", question, "--file-back")
    assert (code, out) == (0, f"{UNKNOWN}\n")
    assert "Nothing is filed" in err
    assert not (filled.vault / "knowledge/qa").exists()


def test_a_model_out_of_reach(filled):
    before = filled.files()
    code, out, err = scripted(filled, [])
    assert (code, out, err.splitlines()[-1][:9]) == (4, "", "memoria: ")
    with pytest.raises(Unreachable):
        Asker(filled.work, ScriptedModel([Unreachable("no connection")])).ask(QUESTION)
    assert filled.files() == before


def test_entries_that_no_article_holds_are_found_and_cited_by_their_log(place):
    place.transcript("s-1", *debugging())
    assert place.json("import")["entries"] == 1
    found = place.json("query", "Why do session tokens look expired too early?")
    assert found["known"]
    assert found["citations"] == ["daily/2026-03-02"]
    assert "local time with a UTC" in found["answer"]


def test_a_rejected_rule_is_not_consulted(place):
    rule = "category: workflow\nstatus: {}\nid: {}\n"
    for name, status in (("wf-0123456789", "rejected"), ("wf-9876543210", "active")):
        write(place, f"rules/{name}", "Always rotate session tokens", "", rule.format(status, name))
    consulted = place.json("query", "When are session tokens to be rotated?")["consulted"]
    assert consulted == ["rules/wf-9876543210"]


# -- --file-back ----------------------------------------------------------------------------------


def test_file_back_leaves_note_index_log_and_ledger(filled):
    code, _, err = scripted(filled, [reply(follow_ups=["Why an hour?"])], "--file-back")
    assert code == 0
    assert f"Filed: {filed(filled)}" in err
    text = filed(filled).read_text()
    assert f'question: "{QUESTION}"\n' in text
    assert "## Sources Consulted\n\n- [[concepts/session-tokens]] - Session tokens\n" in text
    assert "## Follow-Up Questions\n\n- Why an hour?\n" in text
    index = (filled.vault / "knowledge/index.md").read_text()
    assert f"| [[qa/{SLUG}]] | Q: {QUESTION} | concepts/session-tokens | 20" in index
    *_, entry = log(filled).split("\n## [")
    head, consulted, target = entry.splitlines()
    assert head.endswith(f'] query | "{QUESTION}"')
    assert consulted.startswith("- Consulted: [[concepts/session-tokens]]")
    assert target == f"- Filed to: [[qa/{SLUG}]]"


def test_without_file_back_only_the_log_says_that_it_was_asked_and_no_step_is_made(filled):
    before = filled.files()
    scripted(filled, [reply()])
    after = filled.files()
    assert {name for name in after if after[name] != before.get(name)} == {"knowledge/log.md"}
    assert log(filled).endswith("- Filed to: (none)\n")
    scripted(filled, [reply()], "--file-back")
    journal = state_of(filled.vault) / "journal/done"
    labels = [json.loads(path.read_text())["label"] for path in journal.rglob("COMMIT")]
    assert labels == ["query"]
    assert not filled.work.vault.journal.pending


def test_queries_are_counted_with_their_cost(filled):
    scripted(filled, [reply("[[concepts/x]]"), reply()])
    filled.run("query", QUESTION)
    filled.run("query", "What is the capital of France?")
    assert state(filled)["query_count"] == 3
    assert state(filled)["operations"]["query"] == {"calls": 3, "tokens": 4, "cost_usd": 0.0}
    assert [call["engine"] for call in filled.ledger("call")] == ["scripted", "offline", "offline"]


@pytest.mark.parametrize("first", [{"known": True}, reply("[[concepts/x]]")])
def test_what_was_paid_for_answers_that_cannot_be_read_is_in_the_ledger(filled, first):
    code, _, _ = scripted(filled, [first, {"known": True}])
    assert code == (4 if first == {"known": True} else 0)
    (call,) = filled.ledger("call")
    assert (call["task"], call["input"], call["output"]) == ("query", 2, 2)


def test_a_question_asked_again_finds_its_answer_first_and_is_updated(filled):
    scripted(filled, [reply()], "--file-back")
    model = ScriptedModel([reply("Two hours ([[concepts/cookies]]).")])
    asker = Asker(filled.work, model)
    found = asker.ask("how long do SESSION tokens last")
    assert found.question.pages[0].path == f"qa/{SLUG}"
    assert asker.keep(found, file_back=True) == f"knowledge/qa/{SLUG}.md"
    assert len(list((filled.vault / "knowledge/qa").iterdir())) == 1
    text = filed(filled).read_text()
    assert "Two hours ([[concepts/cookies]])." in text
    assert "An hour" not in text


@pytest.mark.parametrize(("driver", "is_told"), [(PERSON, True), (AGENT, False)])
def test_what_an_agent_asks_and_files_is_told_to_no_session(filled, driver, is_told):
    filled.adopt()
    filled.driver = driver
    question = "With the registry at npm.example, how long do session tokens last?"
    scripted(
        filled, [reply("Hours: one ([[concepts/cookies]]).")], "--file-back", question=question
    )
    (path,) = (filled.vault / "knowledge/qa").glob("*npm*")
    assert ("Hours: one" in told(filled)) is is_told
    assert (f"qa/{path.stem}" in told(filled)) is is_told


def test_a_person_s_edit_of_a_filed_answer_stays_however_often_it_is_asked(filled):
    scripted(filled, [reply()], "--file-back")
    mine = filed(filled).read_text().replace("An hour (", "Mine: 70 minutes (") + "\nMy note.\n"
    filed(filled).write_text(mine)
    for hours in ("Two", "Three"):
        scripted(filled, [reply(f"{hours} hours ([[concepts/cookies]]).")], "--file-back")
        text = filed(filled).read_text()
        assert "Mine: 70 minutes ([[concepts/session-tokens]])." in text
        assert "My note." in text
        assert f"{hours} hours ([[concepts/cookies]])." in text


@pytest.mark.parametrize("is_model", [True, False])
def test_offline_gives_the_answer_that_was_filed_and_leaves_it(filled, is_model):
    said = "Sixty minutes ([[concepts/session-tokens]])."
    if is_model:
        scripted(filled, [reply(said)], "--file-back")
    first = filled.json("query", QUESTION, "--file-back")
    before = filled.files() | {"knowledge/log.md": b""}
    found = filled.json("query", QUESTION, "--file-back")
    assert found["answer"] == (f"{said} ([[qa/{SLUG}]])" if is_model else first["answer"])
    assert found["filed"] == f"knowledge/qa/{SLUG}.md"
    assert filled.files() | {"knowledge/log.md": b""} == before


def test_a_broken_note_in_the_way_is_left(filled):
    filed(filled).parent.mkdir()
    filed(filled).write_text("---\ntitle: [broken\n---\nMine.\n")
    code, _, _ = scripted(filled, [reply()], "--file-back")
    assert code == 0
    assert filed(filled).read_text().endswith("Mine.\n")
    assert len(list(filed(filled).parent.iterdir())) == 2


def test_an_answer_that_cannot_be_written_down_is_printed(filled):
    (filled.vault / "knowledge/log.md").unlink()
    (filled.vault / "knowledge/log.md").mkdir()
    code, out, err = scripted(filled, [reply()], "--file-back")
    assert code == 3
    assert out == "An hour ([[concepts/session-tokens]]).\n"
    assert "log.md" in err
    assert not filed(filled).exists()


@pytest.mark.parametrize(
    "question",
    ["Is [[concepts/cookies]] <b>bold</b> | or\n# not?", "`= x` tokens ![](http://e.x/a)"],
)
def test_a_question_does_nothing_in_the_files_that_name_it(filled, question):
    code, _, _ = scripted(filled, [reply()], "--file-back", question=question)
    assert code == 0
    (note,) = (filled.vault / "knowledge/qa").iterdir()
    body = note.read_text().split("---\n", 2)[2]
    for text in (body, log(filled), (filled.vault / "knowledge/index.md").read_text()):
        assert "<b>" not in text
        assert "![" not in text
        assert "`= x`" not in text


def test_the_prompt_does_not_grow_with_the_vault(filled):
    sizes = []
    for count in (30, 300):
        for number in range(count):
            text = f"Session tokens of shelf {number} last {number} hours. " + "Box. " * 500
            write(filled, f"concepts/shelf-{number}", f"Shelf {number}", text)
        model = ScriptedModel([reply("An hour ([[concepts/shelf-1]])."), reply()])
        Asker(filled.work, model).ask(QUESTION)
        sizes.append(len(model.requests[0].prompt))
    assert max(sizes) <= 1.1 * min(sizes)
    assert max(sizes) < 40_000


def test_a_model_is_sent_no_page_that_scores_far_below_the_best(filled):
    for number in range(20):
        text = f"Part {number} of the mailer writes how long a letter waits in the queue. " * 9
        write(filled, f"concepts/mailer-{number}", f"Mailer {number}", text)
    pages = {}
    for engine, answers in (("prompt", [reply()]), ("material", [])):
        model = ScriptedModel(answers)
        model.reads = engine
        pages[engine] = [page.path for page in Asker(filled.work, model).find_pages(QUESTION).pages]
    assert len(pages["material"]) > 20
    assert pages["prompt"][:2] == pages["material"][:2]
    assert {"concepts/session-tokens", "concepts/cookies"} <= set(pages["prompt"])
    assert len(pages["prompt"]) == 3


def test_a_model_is_sent_what_the_best_page_links_to_and_the_project_s_page_last(filled):
    linked = "\n\n## Related Concepts\n\n- [[concepts/clocks]] - who reads the time"
    write(filled, "concepts/session-tokens", "Session tokens", f"Session tokens expire.{linked}")
    write(filled, "concepts/clocks", "Clocks", "A clock ticks.")
    write(filled, "projects/shop", "shop", "Session tokens last. " * 9, "tags: [project]\n")
    for number in range(20):
        write(filled, f"concepts/mailer-{number}", f"Mailer {number}", "A letter waits. " * 9)
    model = ScriptedModel([reply()])
    pages = [page.path for page in Asker(filled.work, model).find_pages(QUESTION).pages]
    assert pages.index("concepts/clocks") < pages.index("projects/shop") == len(pages) - 1
    assert pages[0] == "concepts/session-tokens"
