import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.vault.project import file_name, folder_key, remote_key

OURS = "github.com/Acme/shop"


def config(url: str, remote: str = "origin") -> str:
    return f'[core]\n\tbare = false\n[remote "{remote}"]\n\turl = {url}\n\tfetch = +refs/heads/*\n'


@cased()
def test_every_way_to_write_an_address_is_one_project(url):
    assert remote_key(config(url)) == OURS


@cased(("https://host/" + "a" * 300, ""))
def test_addresses_of_other_forms(url, key):
    assert remote_key(config(url)) == key


USER_INFO = st.text("abcXYZ019-._~!$&'()*+,;=:%@", min_size=1, max_size=30)


@given(USER_INFO)
def test_nothing_of_the_credentials_gets_into_a_key(secret):
    assert remote_key(config(f'"https://{secret}@github.com/Acme/shop.git"')) == OURS


@pytest.mark.parametrize(
    "url", ["https://me:pa/ss@github.com/Acme/shop", "me:pass@github.com:Acme/shop.git"]
)
def test_a_password_in_the_wrong_form_is_left_out_too(url):
    assert remote_key(config(url)) == OURS


@cased(
    (config("git@h:fork/r", "fork") + config("git@h:o/r"), "h/o/r"),
    (config("git@h:a/r", "upstream") + config("git@h:b/r", "fork"), "h/a/r"),
    (config("../local", "origin") + config("git@h:b/r", "fork"), "h/b/r"),
)
def test_the_remote_that_counts(text, key):
    assert remote_key(text) == key


@cased()
def test_folders(cwd, key):
    assert folder_key(cwd) == key


@cased(("h/o/" + "long-" * 40, "long-long-long-long-long-long-long-long-"))
def test_file_names(key, start):
    name = file_name(key)
    assert name.startswith(start)
    assert len(name) <= 57
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
