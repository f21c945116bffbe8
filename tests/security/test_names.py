"""Names of folders, remotes and files: what stands in them is data like all else."""

import os

import hooked
import pytest
from place import debugging, state_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="hooks and names of POSIX")


def started(place, cwd):
    """Run the installed SessionStart hook in a folder; give what it tells."""
    line = hooked.installed(place.home / ".claude/settings.json", "SessionStart")
    event = {"session_id": f"s-{len(cwd)}", "cwd": cwd, "hook_event_name": "SessionStart"}
    environment = hooked.Hooks(place).environment | {"MEMORIA_DISABLE": "0"}
    code, out, _ = hooked.run(line, event | {"source": "startup"}, environment)
    assert code == 0
    return out.decode()


def test_a_secret_in_the_folders_name_is_written_nowhere_and_the_hook_finds_its_project(place):
    secret = "ghp_" + "9f3KqLw8ZtR2" + "vXyB7nMcD4sHjP6u" + "E1aG5iTo"
    cwd = f"/home/ana/shop-{secret}"
    lines = debugging(rule="From now on always run the lease check before you commit.")
    place.transcript("s-1", *(line | {"cwd": cwd} for line in lines))
    for verb in ("import", "compile", "lint", "report", "install"):
        assert place.run(verb)[0] == 0
    state = state_of(place.vault)
    rule = "Always run the lease check before you commit"
    assert rule in started(place, cwd)
    assert rule not in started(place, "/home/ana/another")  # it is of this project alone
    paths = [path for root in (place.vault, state) for path in root.rglob("*")]
    plain = secret.lower().removeprefix("ghp_")
    assert [path for path in paths if plain in str(path).lower()] == []
    files = [path for path in paths if path.is_file()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
    assert "REDACTED-github-token" in place.log()


def test_the_name_of_a_pulled_file_reaches_no_terminal_as_it_is(place):
    name = "b\x1b]0;evil\x07\x1b[31mRED\u202e.md"
    folder = place.vault / "knowledge" / "concepts"
    folder.mkdir(parents=True)
    (folder / name).write_text("# x\nlease [[nowhere]]")
    shown = ""
    for verb in ("compile", "lint", "doctor", "status", "search"):
        _, out, err = place.run(verb, *(["lease"] * (verb == "search")))
        assert not {*out, *err} & {"\x1b", "\x07", "\u202e"}, verb
        shown += out + err
    assert "concepts/bRED.md" in shown
    found = place.json("lint")["findings"]
    assert f"knowledge/concepts/{name}" in {finding["path"] for finding in found}
    assert "\u202e" not in place.run("lint", "--json")[1]
