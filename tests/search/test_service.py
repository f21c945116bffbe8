import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import cased
from place import debugging

from memoria.search import service as search

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def write(place, name, text="Tokens expire in UTC.", title="Token expiry", **front):
    path = place.vault / "knowledge" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{key}: {value}\n" for key, value in front.items())
    path.write_text(f"---\n{lines}---\n\n# {title}\n\n{text}\n", encoding="utf-8")
    return path


def paths(place, *arguments):
    return [hit["path"] for hit in place.json("search", *arguments)]


def test_what_was_imported_and_compiled_is_found(place):
    rule = "Always run the tests before you commit, because CI is slow."
    place.transcript("s-0", *debugging(rule=rule))
    place.run("import")
    (entry,) = place.json("search", "hours early")
    assert (entry["path"], entry["kind"]) == ("daily/2026-03-02.md", "entry")
    assert "two hours early" in entry["passage"]
    place.transcript("s-1", *debugging("the cookie check", 20))
    place.run("import")
    assert len(paths(place, "hours early")) == 2
    place.run("compile", "--engine", "offline")
    found = place.json("search", "run the tests before a commit")
    assert {hit["path"].split("/")[0] for hit in found} == {"daily", "knowledge"}
    # what scorers read comes first; more may be added
    assert list(found[0])[:7] == ["path", "title", "kind", "date", "project", "score", "passage"]
    assert all((place.vault / hit["path"]).is_file() for hit in found)
    assert [hit["score"] for hit in found] == sorted((hit["score"] for hit in found), reverse=True)


def test_text_says_day_title_the_best_line_and_where_it_stands(place):
    text = "Tokens of the TokenStore expire.\n\nIn UTC."
    write(place, "concepts/expiry", text, updated="2026-02-07")
    code, out, err = place.run("search", "token", "expires")
    assert code == 0
    assert out == (
        "2026-02-07 Token expiry\n"
        "           Tokens of the TokenStore expire.\n"
        "           knowledge/concepts/expiry.md\n"
    )
    assert err == ""


def test_a_link_is_shown_by_its_title(place):
    note = place.vault / "knowledge/concepts/leases.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("---\ntitle: L\n---\n\n# L\n\nLeases end by [[concepts/x|the clock]].\n")
    assert "Leases end by the clock." in place.do("search", "leases")


def test_edits_new_notes_and_deleted_ones_are_noticed(place):
    path = write(place, "concepts/expiry")
    write(place, "rules/wf-0123456789", "x", "Always run the tests")
    assert paths(place, "tokens") == ["knowledge/concepts/expiry.md"]
    assert paths(place, "tests", "--kind", "rule") == ["knowledge/rules/wf-0123456789.md"]
    path.write_text(path.read_text().replace("Tokens", "Leases"), encoding="utf-8")
    assert paths(place, "leases") == ["knowledge/concepts/expiry.md"]
    assert paths(place, "tokens expire") == ["knowledge/concepts/expiry.md"]
    write(place, "concepts/new", "Leases, too.", "New")
    assert len(paths(place, "leases")) == 2
    path.unlink()
    assert paths(place, "leases") == ["knowledge/concepts/new.md"]
    (place.vault / "daily" / "2026-03-05.md").write_text("Leases by hand\n", encoding="utf-8")
    assert len(paths(place, "leases")) == 2


def test_without_a_change_no_file_is_read(place, monkeypatch):
    path = write(place, "concepts/expiry")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert paths(place, "tokens")
    monkeypatch.setattr(search, "_read_file", None)
    assert paths(place, "tokens") == ["knowledge/concepts/expiry.md"]


def test_filters_of_the_command_line(place):
    front = {"projects": "[github.com/ana/shop]", "tags": "[auth]", "updated": "2026-02-07"}
    write(place, "concepts/expiry", **front)
    write(place, "tools/uv", title="uv", updated="2026-01-01")
    (place.vault / "daily" / "2026-03-05.md").write_text("Tokens by hand\n", encoding="utf-8")
    expiry, uv = "knowledge/concepts/expiry.md", "knowledge/tools/uv.md"
    daily = "daily/2026-03-05.md"
    table = {
        (): {expiry, uv, daily},
        ("--scope", "daily"): {daily},
        ("--scope", "articles"): {expiry, uv},
        ("--project", "shop"): {expiry},
        ("--since", "2026-02-01"): {expiry, daily},
        ("--since", "20260201"): {expiry, daily},
        ("--kind", "tool"): {uv},
        ("--tag", "auth"): {expiry},
        ("--kind", "tool", "--tag", "auth"): set(),
    }
    assert {options: set(paths(place, "tokens", *options)) for options in table} == table
    assert len(paths(place, "tokens", "-k", "1")) == 1


@cased()
def test_wrong_options_are_wrong_use(place, options):
    code, out, err = place.run("search", "tokens", *options)
    assert (code, out) == (2, "")
    assert options[0] in err


def test_an_empty_query_an_empty_vault_and_filters_that_no_note_passes_are_named(place):
    said = 'memoria: nothing to search for: `memoria search "words"`\n'
    for words in ((), ("",), (" \t",)):
        assert place.run("search", *words) == (2, "", said)
    assert place.run("search", "tokens") == (0, "", "nothing found\n")
    assert place.json("search", "tokens") == []
    write(place, "concepts/expiry")
    _, _, err = place.run("search", "tokens", "--tag", "nope", "--kind", "qa")
    assert err == "nothing found with --kind qa, --tag nope\n"


def test_what_cannot_be_read_is_left_out(place):
    write(place, "concepts/good")
    folder = place.vault / "knowledge" / "concepts"
    (folder / "bare.md").write_text("tokens without frontmatter", encoding="utf-8")
    (folder / "bytes.md").write_bytes(b"---\ntitle: x\n---\ntokens \xff\n")
    (folder / "large.md").write_text("---\ntitle: x\n---\n" + "tokens " * 200_000, encoding="utf-8")
    (folder / "folder.md").mkdir()
    (folder / "link.md").symlink_to(folder / "good.md")
    (folder / "._x.md").write_text("---\ntitle: x\n---\ntokens", encoding="utf-8")
    (place.vault / "daily" / "2026-02-30.md").write_text("tokens", encoding="utf-8")
    (place.vault / "daily" / "notes.md").write_text("tokens", encoding="utf-8")
    for _ in range(2):
        code, out, err = place.run("search", "tokens", "--json")
        assert (code, err) == (0, "")
        assert [hit["path"] for hit in json.loads(out)] == ["knowledge/concepts/good.md"]


def test_several_processes_at_once(place):
    """Four that write notes and search them, from an index that none of them finds."""
    for number in range(40):
        write(place, f"concepts/note-{number}", f"shared words {number} " * 20)

    env = os.environ | {"PYTHONPATH": str(SCRIPTS), "MEMORIA_VAULT": str(place.vault)}

    def run(number):
        found = []
        for turn in range(3):
            word = f"mine{number}x{turn}"
            write(place, f"tools/tool-{number}-{turn}", word)
            command = [sys.executable, "-m", "memoria", "search", word, "--json"]
            found.append(subprocess.run(command, capture_output=True, text=True, env=env))  # noqa: PLW1510 - the code is looked at
        return found

    with ThreadPoolExecutor(4) as pool:
        for number, done in enumerate(pool.map(run, range(4))):
            for turn, one in enumerate(done):
                assert (one.returncode, one.stderr) == (0, "")
                (hit,) = json.loads(one.stdout)
                assert hit["path"] == f"knowledge/tools/tool-{number}-{turn}.md"
    assert len(paths(place, "shared", "-k", "99")) == 40
