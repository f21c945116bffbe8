import re
from dataclasses import replace

from place import debugging


def test_from_nothing_to_a_filled_vault_without_a_question(place, tmp_path, monkeypatch):
    monkeypatch.delattr("builtins.input")
    place.transcript("s-1", *debugging(rule="Always run the tests before you commit."))
    place.transcript("s-2", *debugging("the cookie check", 100))
    vault = tmp_path / "new"
    out = place.do("start", "--vault", str(vault))
    assert out.startswith("2 sessions: 2 entries in 1 daily log, ")
    said = " ".join(out.split())
    assert "1 rule stated in them is active from the next session on. " in said
    assert "1 of 2 errors had been met before" in said
    assert str(vault / "HOME.md") in out
    assert (vault / "HOME.md").exists()


def test_articles_are_counted_with_the_projects_pages_that_come_of_it(place, samples):
    first = place.do("start", "--from", str(samples))
    again = place.do("start", "--from", str(samples))
    counts = [re.search(r"(\d+) articles", " ".join(out.split()))[1] for out in (first, again)]
    assert counts[0] == counts[1]


def test_a_vault_that_may_have_been_moved_is_told_of_where_nobody_is_asked(place, tmp_path):
    place.vault.rename(tmp_path / "elsewhere")
    said = replace(place, root=tmp_path).err("init", str(tmp_path / "elsewhere"))
    assert f"{place.vault} is gone. If it was moved here" in said


def test_without_sessions_it_makes_the_vault_and_offers_the_demo(place, tmp_path):
    vault = tmp_path / "new"
    code, out, err = place.run("start", "--vault", str(vault))
    assert code == 0
    said = " ".join(out.split())
    assert f"There are no Claude Code sessions in {place.projects} yet" in said
    assert sum("memoria demo" in line for line in out.splitlines()) == 1
    assert f"memoria --vault {vault} install" in out
    assert (vault / "HOME.md").exists()
    assert "sample" not in err
    assert list((vault / "daily").glob("2*.md")) == []
    assert list((vault / "knowledge" / "rules").glob("*.md")) == []
    result = place.json("start")
    assert (result["sessions"], result["entries"], result["articles"]) == (0, 0, 0)


def test_a_figure_is_the_same_wherever_it_stands(place, samples):
    begun = place.json("start", "--from", str(samples))
    overall = place.json("experiment", "report", "--all")["sessions"]
    report = place.json("report")["mistakes"]
    assert begun["errors"] == overall["mistakes"] == report["total"] > 30
    assert begun["errors_met_before"] == overall["repeats"] == report["met_before"] > 10
    page = (place.vault / "knowledge" / "projects" / "shop-api.md").read_text(encoding="utf-8")
    home = (place.vault / "HOME.md").read_text(encoding="utf-8")
    assert " sessions of this project, the last on " in page
    assert f" of {begun['sessions']} sessions, the last on " in home
    doctor = {check["name"]: check["detail"] for check in place.json("doctor")["checks"]}
    names = {stay.project for stay in place.work.vault.history().sessions.values()}
    assert f" of {len(names)} projects, by remote or folder" in doctor["captures"]
    notes = (place.vault / "knowledge").glob("*/*.md")
    assert begun["articles"] == sum(path.parent.name != "rules" for path in notes)
