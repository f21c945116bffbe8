import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.vault.project import file_name, folder_key, remote_key

OURS = "github.com/Acme/shop"


def config(url: str, remote: str = "origin") -> str:
    return f'[core]\n\tbare = false\n[remote "{remote}"]\n\turl = {url}\n\tfetch = +refs/heads/*\n'


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/shop.git", "https://github.com/Acme/shop",
        "https://github.com/Acme/shop/", "https://GitHub.com/Acme/shop.git/",
        "https://github.com:443/Acme/shop", "https://github.com//Acme//shop.git",
        "http://user@github.com/Acme/shop.git", "git@github.com:Acme/shop.git",
        "git@GITHUB.COM:Acme/shop", "github.com:Acme/shop.git", "git@github.com:/Acme/shop.git",
        "ssh://git@github.com/Acme/shop.git", "ssh://git@github.com:2222/Acme/shop.git",
        "git+ssh://git@github.com/Acme/shop", "git://github.com/Acme/shop.git",
        '"https://github.com/Acme/shop.git"', "https://github.com/Acme/shop.git # mine",
        "https://github.com/Acme/shop.git;mine", "https://github.com/Acme/shop.git?access=1",
    ],
)  # fmt: skip
def test_every_way_to_write_an_address_is_one_project(url):
    assert remote_key(config(url)) == OURS


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://gitlab.com/group/sub/team/app.git", "gitlab.com/group/sub/team/app"),
        ("ssh://git@[::1]:22/o/r.git", "[::1]/o/r"),
        ("git@host:r", "host/r"),
        ("/srv/git/shop.git", "/srv/git/shop"),
        ("/srv/My Code/shop/.git", "/srv/My Code/shop"),
        ("file:///srv/git/shop.git", "/srv/git/shop"),
        ("file:///C:/code/shop", "c:/code/shop"),
        ("C:\\\\code\\\\shop", "c:/code/shop"),
        ("D:/code/shop.git", "d:/code/shop"),
        ("../shop.git", ""),
        ("shop", ""),
        ("https://github.com", ""),
        ("https://github.com/", ""),
        ("https:///o/r", ""),
        ("ext::ssh -i key host", ""),
        ("codecommit::us-east-1://shop", ""),
        ("https://evil\u202ehost/o/r", ""),
        ("https://host/o/r\u200b", ""),
        ("https://host/" + "a" * 300, ""),
        ("", ""),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (config("git@h:fork/r", "fork") + config("git@h:o/r"), "h/o/r"),
        (config("git@h:a/r", "upstream") + config("git@h:b/r", "fork"), "h/a/r"),
        (config("../local", "origin") + config("git@h:b/r", "fork"), "h/b/r"),
        ('[REMOTE "origin"] URL=git@h:o/r', "h/o/r"),
        ('[remote "origin"]\r\n\turl = git@h:o/r\r\n', "h/o/r"),
        ('[remote "Origin"]\nurl=git@h:x/r\n[remote "origin"]\nurl=git@h:o/r', "h/o/r"),
        ('[remote "origin"]\n# url = git@h:x/r\n; url = git@h:x/r\nurl = git@h:o/r', "h/o/r"),
        ('[remote "origin"]\nurl = git@h:o/r\nurl = git@h:second/r', "h/o/r"),
        ('[remote "origin"]\npushurl = git@h:x/r', ""),
        ('[branch "main"]\nremote = origin\nurl = git@h:x/r', ""),
        ("[core]\nurl = git@h:x/r\n", ""),
        ('[url "git@h:"]\ninsteadOf = gh:\nurl = git@h:x/r', ""),
        ("not a config \x00 at all", ""),
        ("", ""),
    ],
)
def test_the_remote_that_counts(text, key):
    assert remote_key(text) == key


@pytest.mark.parametrize(
    ("cwd", "key"),
    [
        ("/home/me/shop", "/home/me/shop"),
        ("/home/me/shop/", "/home/me/shop"),
        ("/home//me/./shop", "/home/me/shop"),
        ("/home/me/shop/.worktrees/fix-1", "/home/me/shop"),
        ("/home/me/shop/.claude/worktrees/fix-1", "/home/me/shop"),
        ("/home/me/shop/.claude/worktrees/fix-1/src/a", "/home/me/shop/src/a"),
        ("/p/.worktrees/a/.claude/worktrees/b", "/p"),
        ("/home/me/shop/.worktrees", "/home/me/shop/.worktrees"),
        ("/home/me/shop/worktrees/x", "/home/me/shop/worktrees/x"),
        ("C:\\Users\\me\\shop", "c:/Users/me/shop"),
        ("c:\\Users\\me\\shop\\.claude\\worktrees\\x", "c:/Users/me/shop"),
        ("\\\\server\\share\\shop", "//server/share/shop"),
        ("/home/me/a\nb\u202e", "/home/me/a?b?"),
        ("/home/me/caf\u00e9 \udcff", "/home/me/caf\u00e9 ?"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_folders(cwd, key):
    assert folder_key(cwd) == key


@pytest.mark.parametrize(
    ("key", "start"),
    [
        (OURS, "shop-"),
        ("h/o/CON", "con-"),
        ("/home/me/My  Shop!", "my-shop-"),
        ("/home/\u00e9/\u5e97", "project-"),
        ("", "project-"),
        ("h/o/" + "long-" * 40, "long-long-long-long-long-long-long-long-"),
    ],
)
def test_file_names(key, start):
    name = file_name(key)
    assert name.startswith(start)
    assert len(name) <= 57
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
