"""Rules that CLAUDE.md says already are found by their words, whatever marks stand around them."""

from memoria.agents.claude_code import claude_md

RULES = {"a": "Always use `uv`, never pip.", "b": "Write tests first"}


def test_a_line_of_the_same_words_says_the_rule(tmp_path):
    (tmp_path / "CLAUDE.md").write_text(
        "# How\n\n* always use uv -- never PIP\nWrite tests first!?x\n"
    )
    assert claude_md.told([str(tmp_path)], RULES) == ["a"]
    assert claude_md.told([str(tmp_path / "none")], RULES) == []


def test_the_client_s_files_around_the_folder_are_read_and_none_beyond_the_repository(tmp_path):
    config = tmp_path / "config"
    deep = tmp_path / "shop" / "src" / "till"
    deep.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    assert claude_md.folders(str(config / "projects"), str(deep)) == [
        str(config),
        str(deep),
        str(deep.parent),
        str(tmp_path / "shop"),
    ]


def test_a_file_that_is_no_text_or_too_long_is_read_as_far_as_it_goes(tmp_path):
    data = b"- Write tests first\n" + b"\xff\x00" * 200_000 + b"\nAlways use uv never pip\n"
    (tmp_path / "CLAUDE.local.md").write_bytes(data)
    assert claude_md.told([str(tmp_path)], RULES) == ["b"]
