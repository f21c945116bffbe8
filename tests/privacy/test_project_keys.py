import random
import string

import pytest
from cases import cased

from memoria.agents.claude_code import git
from memoria.privacy import project_keys
from memoria.privacy.project_keys import project_key

ALNUM = string.ascii_letters + string.digits


def made(length, alphabet=ALNUM):
    """Make up a value, put together at run time so that no literal has the form of a key."""
    return "".join(random.Random(length).choices(alphabet, k=length))


NAMES = {
    "github": ("proj-{}", "ghp_" + made(36)),
    "gitlab": ("{}.tmp", "glpat-" + made(20)),
    "letters alone": ("{}", "hf_" + made(34, string.ascii_letters)),
    "aws": ("dump {}", "AKIA" + made(16, string.ascii_uppercase + "234567")),
    "after a name": ("backup-password={}", made(14)),
    "in an address": ("https:%2F%2Fana:{}@git.example.com", made(14)),
}


@pytest.mark.parametrize("name", NAMES)
def test_no_secret_stands_in_the_key_of_a_folder_or_a_remote(tmp_path, name):
    form, secret = NAMES[name]
    folder = tmp_path / form.format(secret)
    for place in (folder, folder / "src"):
        key = project_key(str(place))
        assert secret not in key
        assert "REDACTED-" in key
        assert not set(key) & set("[]")
        assert key.startswith(str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    url = f"https://git.example.com/ana/{folder.name}.git"
    (tmp_path / ".git/config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    assert secret not in project_key(str(tmp_path))


@cased()
def test_a_key_without_a_secret_is_what_it_was(cwd):
    assert project_key(cwd) == git.project_key(cwd)


def test_the_forms_are_loaded_for_few_keys(monkeypatch):
    """A hook waits for them: an ordinary folder's costs nothing."""
    monkeypatch.setitem(__import__("sys").modules, "memoria.privacy.secrets", None)
    for cwd in ("/home/ana/shop", "/srv/app_2024-03-01/v12", "C:\\Users\\Ana B\\web-shop-frontend"):
        assert project_keys.project_key(cwd)
