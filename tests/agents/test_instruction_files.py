"""Rules that an agent's own files say are found by their words, whatever marks they have."""

from pathlib import Path

import pytest

from memoria.agents.instruction_files import list_files, match_rules

RULES = {"a": "Always use `uv`, never pip.", "b": "Write tests first"}


def test_a_line_of_the_same_words_says_the_rule(tmp_path):
    file = tmp_path / "CLAUDE.md"
    file.write_text("# How\n\n* always use uv -- never PIP\nWrite tests first!?x\n")
    assert match_rules(list_files("", "", str(tmp_path)), RULES) == {"a": str(file)}
    assert match_rules(list_files("", "", str(tmp_path / "none" / "deep")), {}) == {}


def test_the_files_around_the_folder_are_read_and_none_beyond_the_repository(tmp_path):
    deep = tmp_path / "shop" / "src"
    deep.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    own = tmp_path / "own"
    (deep / ".github").mkdir()
    for folder in (tmp_path, tmp_path / "shop", deep, own):
        folder.mkdir(exist_ok=True)
        for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
            (folder / name).write_text("Write tests first")
    (deep / "AGENTS.override.md").write_text("")
    (deep / ".github" / "copilot-instructions.md").write_text("")
    read = {
        agent: [
            str(Path(path).relative_to(tmp_path)) for path in list_files(agent, str(own), str(deep))
        ]
        for agent in ("", "codex", "copilot", "gemini", "opencode")
    }
    assert read == {
        "": ["own/CLAUDE.md", "shop/src/CLAUDE.md", "shop/CLAUDE.md", read[""][-1]],
        "codex": ["own/AGENTS.md", "shop/src/AGENTS.override.md", "shop/AGENTS.md"],
        "copilot": [
            *("own/AGENTS.md", "own/CLAUDE.md"),
            *("shop/src/AGENTS.md", "shop/src/CLAUDE.md"),
            "shop/src/.github/copilot-instructions.md",
            *("shop/AGENTS.md", "shop/CLAUDE.md"),
        ],
        "gemini": ["own/GEMINI.md", "shop/src/GEMINI.md", "shop/GEMINI.md"],
        "opencode": ["own/AGENTS.md", "shop/src/AGENTS.md", "shop/AGENTS.md"],
    }


def test_claude_codes_notes_of_its_own_are_read(tmp_path):
    folder = tmp_path / "projects" / "-home-ana-shop" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- Write tests first\n")
    found = match_rules(list_files("", str(tmp_path), "/home/ana/shop"), RULES)
    assert found == {"b": str(folder / "MEMORY.md")}


@pytest.mark.parametrize("name", ["CLAUDE.local.md", ".claude/CLAUDE.md"])
def test_a_file_that_is_no_text_or_too_long_is_read_as_far_as_it_goes(tmp_path, name):
    data = b"- Write tests first\n" + b"\xff\x00" * 200_000 + b"\nAlways use uv never pip\n"
    (tmp_path / ".claude").mkdir()
    (tmp_path / name).write_bytes(data)
    assert list(match_rules(list_files("", "", str(tmp_path)), RULES)) == ["b"]


def test_a_rule_in_a_comment_is_not_told_by_the_client(tmp_path):
    text = "<!--\nAlways use uv never pip\n--> Write tests first\n<!-- \nwithout an end"
    (tmp_path / "CLAUDE.md").write_text(text)
    assert list(match_rules(list_files("", "", str(tmp_path)), RULES)) == ["b"]
