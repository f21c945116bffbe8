from place import debugging


def test_from_nothing_to_a_filled_vault(place, tmp_path):
    place.transcript("s-1", *debugging(rule="Always run the tests before you commit."))
    place.transcript("s-2", *debugging("the cookie check", 100))
    vault = tmp_path / "new"
    code, out, _ = place.run("start", "--vault", str(vault))
    assert code == 0
    assert out.startswith("2 sessions -> 1 daily logs, 2 entries, ")
    assert "1 rules you stated: 1 in force from the next session on, 0 to review." in out
    assert "1 of 2 mistakes were ones you had met before" in out
    assert str(vault / "HOME.md") in out
    assert (vault / "HOME.md").exists()


def test_again_adds_nothing(place):
    place.transcript("s-1", *debugging())
    place.run("start")
    before = place.files()
    code, out, _ = place.run("start")
    assert code == 0
    assert out.startswith("1 sessions, none new -> ")
    assert place.files() == before


def test_without_sessions_the_samples_show_what_it_does(place):
    result = place.json("start")
    assert result["sessions"] >= 10
    assert result["entries"] >= 8
    assert result["articles"] >= 5
    assert result["rules"] >= 3
    assert 0 < result["errors_met_before"] < result["errors"]
    assert result["problems"] == []


def test_it_asks_nothing_and_needs_no_claude(place, monkeypatch):
    def ask(*_):
        raise AssertionError("a question was asked")

    monkeypatch.setattr("builtins.input", ask)
    place.transcript("s-1", *debugging())
    assert place.run("start")[0] == 0


def test_a_vault_that_cannot_be_made(place, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = place.run("start", "--vault", str(tmp_path / "file"))
    assert code == 3
    assert "cannot make a vault at" in err
