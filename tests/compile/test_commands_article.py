"""The article about the commands by which work is checked."""

import dataclasses

from vaulted import Vault, entry, extract

from memoria.vault.article import with_body

PATH = "concepts/commands"


def ran(*sessions):
    made = Vault()
    for number, checks in enumerate(sessions):
        made.add(entry(number, number), extract(checks=checks))
    made.compile_all()
    return made


def test_a_command_of_several_sessions_is_counted():
    made = ran((("make test", True), ("make lint", True)), (("make test", False),))
    article = made.articles[PATH]
    assert article.key == "commands:"
    assert made.lines(PATH) == ["`make test` is a check that is run here (p)."]
    assert article.section("Details").strip() == (
        "Sessions that ran each: `make test` (p) in 2, passing at the end of 1, last on 2026-03-03."
    )


def test_a_command_of_one_session_is_not():
    assert ran((("make test", True),), (("make lint", True),)).articles == {}


def test_counts_are_renewed_and_lines_stay():
    made = ran(*[(("make test", True),)] * 3)
    assert made.lines(PATH) == ["`make test` is a check that is run here (p)."]
    assert "in 3, passing at the end of 3" in made.articles[PATH].section("Details")


def test_parts_of_one_session_count_once():
    made = Vault()
    for number in range(2):
        made.add(entry(number, number, session="s"), extract(checks=(("make test", True),)))
    made.compile_all()
    assert made.articles == {}


def test_a_script_is_no_habit():
    long = "make " + "x" * 90
    assert ran(*[((long, True), ("a\nb", True))] * 2).articles == {}


def test_a_paragraph_of_a_person_stays_alone():
    made = ran(*[(("make test", True),)] * 2)
    old = made.articles[PATH].section("Details")
    made.articles[PATH] = with_body(made.articles[PATH], "Details", f"{old}\nMine.")
    made.add(entry(9, 9), extract(checks=(("make test", True),)))
    made.compile(made.entries[-1:])
    assert "in 3" not in made.articles[PATH].section("Details")
    assert "Mine." in made.articles[PATH].section("Details")


def test_projects_are_told_apart():
    made = Vault()
    for number, project in enumerate(("p", "p", "q")):
        one = dataclasses.replace(entry(number, number), project=project)
        made.add(one, extract(checks=(("make test", True),)))
    made.compile_all()
    assert "`make test` (q)" not in made.articles[PATH].section("Details")
