import json

import pytest
from cases import cased

from memoria.llm.login import Login, carries_login, describe_login, find_login


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


@cased()
def test_by_environment_or_by_the_users_settings(tmp_path, name, value, found):
    assert bool(describe_login({name: value}, tmp_path)) is found
    write(tmp_path / ".claude" / "settings.json", {"env": {name: value}})
    assert bool(describe_login({}, tmp_path)) is found
    assert find_login({}, tmp_path).env == {name: value}


@cased((".credentials.json", "[" * 100_000, False))
def test_by_the_clients_own_files(tmp_path, name, value, found):
    write(tmp_path / ".claude" / name, value)
    assert bool(describe_login({}, tmp_path)) is found
    elsewhere = tmp_path / "elsewhere"
    assert describe_login({"CLAUDE_CONFIG_DIR": str(elsewhere)}, tmp_path) == ""
    write(elsewhere / name, value)
    assert bool(describe_login({"CLAUDE_CONFIG_DIR": str(elsewhere)}, tmp_path / "no")) is found


@pytest.mark.parametrize("state", [{"oauthAccount": {"emailAddress": "x"}}, {"primaryApiKey": "k"}])
def test_by_the_clients_state(tmp_path, state):
    write(tmp_path / ".claude.json", state)
    assert describe_login({}, tmp_path)
    assert describe_login({"CLAUDE_CONFIG_DIR": str(tmp_path / "other")}, tmp_path) == ""
    write(tmp_path / "other" / ".claude.json", state)
    assert describe_login({"CLAUDE_CONFIG_DIR": str(tmp_path / "other")}, tmp_path / "no")


def test_of_the_settings_only_what_logs_in_is_taken(tmp_path):
    settings = {
        "apiKeyHelper": "get-key",
        "awsCredentialExport": "export",
        "hooks": {"SessionStart": []},
        "model": "opus",
        "permissions": {"defaultMode": "bypassPermissions"},
        "env": {"ANTHROPIC_BASE_URL": "u", "ANTHROPIC_MODEL": "opus", "EDITOR": "vi", "AWS_X": 3},
    }
    write(tmp_path / ".claude" / "settings.json", settings)
    login = find_login({}, tmp_path)
    assert login.settings == {"apiKeyHelper": "get-key", "awsCredentialExport": "export"}
    assert login.env == {"ANTHROPIC_BASE_URL": "u"}


def test_a_projects_settings_are_not_read(tmp_path, monkeypatch):
    write(tmp_path / "project" / ".claude" / "settings.json", {"apiKeyHelper": "evil"})
    monkeypatch.chdir(tmp_path / "project")
    assert describe_login({}, tmp_path) == ""


@cased()
def test_names_that_carry_a_login(name, login):
    assert carries_login(name) is login


@pytest.mark.parametrize(
    "settings", [{"apiKeyHelper": "get-key"}, {"env": {"ANTHROPIC_API_KEY": "of the settings"}}]
)
def test_an_empty_variable_is_none(tmp_path, settings):
    write(tmp_path / ".claude" / "settings.json", settings)
    login = find_login({"ANTHROPIC_API_KEY": ""}, tmp_path)
    assert login.how
    assert login.env == settings.get("env", {})


def test_the_environment_comes_before_the_settings(tmp_path):
    write(tmp_path / ".claude" / "settings.json", {"env": {"ANTHROPIC_API_KEY": "old"}})
    assert find_login({"ANTHROPIC_API_KEY": "new"}, tmp_path) == Login("ANTHROPIC_API_KEY")
