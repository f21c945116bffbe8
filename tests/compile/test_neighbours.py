from datetime import date

from memoria.compile.neighbours import Nearness, choose_neighbours, count_bytes
from memoria.search.service import refresh_index

FRONT = "aliases: []\ntags: []\nsources: []\ncreated: 2026-03-01\nupdated: 2026-03-01"
ROOM = 6_000


def page(place, slug, title, lead, *lines):
    points = "\n".join(f"- {line}" for line in lines)
    text = f"# {title}\n\n{lead}\n\n## Key Points\n\n{points}\n"
    path = place.vault / f"knowledge/concepts/{slug}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\ntitle: {title}\n{FRONT}\n---\n\n{text}")


def entry(place, title, *lines):
    said = "\n".join(f"- {line}" for line in lines)
    log = f"### Session (10:00) - {title}\n\n**Lessons Learned:**\n{said}\n"
    (place.vault / "daily").mkdir(exist_ok=True)
    path = place.vault / "daily/2026-03-05.md"
    path.write_text(f"# Daily Log: 2026-03-05\n\n## Sessions\n\n{log}")
    (block,) = place.work.vault.log(date(2026, 3, 5)).blocks
    return block.entry, log


def shown(place, title, *lines, room=ROOM, first=()):
    new, text = entry(place, title, *lines)
    work = place.work
    found = refresh_index(work).find_related(text, 24)
    return choose_neighbours(work.vault, found, text, (new,), set(), room, {}, first)


def test_the_article_that_an_entry_is_about_comes_before_those_that_share_words_with_it(place):
    place.run("init")
    page(place, "shadow-branches", "Shadow branches", "They hold what is not committed.", "One.")
    for number in range(12):
        page(
            place,
            f"other{number}",
            f"Other {number}",
            "The hook resets the state of the session and its branch at the next prompt.",
            f"The hook of case {number} resets the branch and moves the state of the session.",
        )
    place.adopt()
    said = "The hook resets the branch and moves the state of the session to the new commit."
    pages = shown(place, "Shadow branches are reset or moved", said, said, "They are no orphans.")
    assert pages[0].article.path == "concepts/shadow-branches"
    # and in the same order whenever it is asked
    again = shown(place, "Shadow branches are reset or moved", said, said, "They are no orphans.")
    assert [row.article.path for row in again] == [row.article.path for row in pages]


def test_of_a_long_article_the_lines_are_shown_that_are_near(place):
    place.run("init")
    far = [
        f"Case {number} of the espresso machine is descaled with citric acid." * 3
        for number in range(40)
    ]
    near = "Tokens expire after 24 hours, because the audit asks for it."
    page(place, "tokens", "Tokens", "They let a client in.", *far[:20], near, *far[20:])
    page(place, "other", "Audit", "The audit asks for much.", *far)
    place.adopt()
    pages = shown(place, "Tokens", "Tokens expire after 30 minutes, because the audit asks for it.")
    assert [row.article.path for row in pages] == ["concepts/tokens", "concepts/other"]
    assert near in pages[0].text
    assert pages[0].is_cut
    assert "They let a client in." in pages[0].listed
    assert "not shown)" in pages[0].listed
    assert sum(count_bytes(row.listed) for row in pages) <= ROOM


def test_what_is_to_be_mended_comes_first_however_far_it_is(place):
    place.run("init")
    page(place, "tokens", "Tokens", "They let a client in.", "They expire.")
    page(place, "espresso", "Espresso machine", "It needs descaling.", "Weekly.")
    place.adopt()
    said = ("Tokens", "Tokens expire after 30 minutes, because the audit asks for it.")
    # of two articles a model sees both, of many those that are near
    assert [row.article.path for row in shown(place, *said)] == [
        "concepts/tokens",
        "concepts/espresso",
    ]
    for number in range(9):
        page(place, f"cup{number}", f"Cup {number}", "It needs washing.", "Daily.")
    place.adopt()
    assert [row.article.path for row in shown(place, *said)] == ["concepts/tokens"]
    pages = shown(place, *said, first=["concepts/espresso"])
    assert [row.article.path for row in pages] == ["concepts/espresso", "concepts/tokens"]


def test_what_does_not_fit_at_all_is_left_out(place):
    place.run("init")
    new, text = entry(place, "Tokens", "Tokens expire after 30 minutes.")
    near = Nearness((new,), text, ())
    items = "- One.\n  It goes on.\n- Two."
    whole = f"concepts/tokens\n# Tokens\n\nA lead.\n\n## Details\n\n{items}\n"
    assert near.shorten_article(whole, 10) == ""
    # as near as each other: the first stands; with the ids of its lines it takes more room
    kept = near.shorten_article(whole, count_bytes(whole) + 14)
    assert "- One.\n  It goes on." in kept
    assert "- Two." not in kept


def test_a_line_that_shares_a_name_with_the_entries_is_nearer_than_one_of_the_same_words(place):
    place.run("init")
    page(place, "sync", "Sync", "It pushes results.", "`conflict_policy` says what a push does.")
    page(place, "docs", "Docs", "They tell of results.", "The docs leave out pushes of results.")
    new, text = entry(place, "Pushes", "The docs of results leave out `conflict_policy`.")
    nearness = Nearness((new,), text, [page for _, page in place.work.vault.articles.items()])
    plain = nearness.weigh_line("The docs leave it to a push.")
    assert nearness.weigh_line("`conflict_policy` says what it does.") > plain
