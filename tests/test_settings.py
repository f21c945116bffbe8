import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from cases import cased

from memoria.errors import SettingsError, UsageError
from memoria.settings import ENGINES, OF_A_VAULT, VARIABLES, find_vault, load
from memoria.vault.storage import registry
from memoria.vault.storage.registry import Registry

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def vault(tmp_path):
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


def read(vault, dotenv="", engine="", **environ):
    """Load settings with that text in the person's own .env."""
    if dotenv:
        path = registry.config_home() / ".env"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dotenv.encode() if isinstance(dotenv, str) else dotenv)
    home = str(vault.parent / "home")
    return load(str(vault), engine, {"HOME": home, **environ}, makes_vault=True)


# variable, a value, the field that shows it, what the field then is, what it is without
PRECEDENCE = [
    ("MEMORIA_ENGINE", "offline", lambda s: s.engine, "offline", "auto"),
    ("MEMORIA_MODEL_FLUSH", "opus", lambda s: s.models["flush"], "opus", "haiku"),
    ("MEMORIA_MODEL_COMPILE", "opus", lambda s: s.models["compile"], "opus", "sonnet"),
    ("MEMORIA_COMPILE_AFTER_HOUR", "7", lambda s: s.compile_after_hour, 7, 18),
    ("MEMORIA_CALLS_PER_HOUR", "0", lambda s: s.calls_per_hour, 0, 60),
    ("MEMORIA_EXCLUDE", "/a/*, b ,*/~/x", lambda s: s.exclude, ("/a/*", "b", "*/~/x"), ()),
    ("MEMORIA_TIMEZONE", "Asia/Tokyo", lambda s: s.zone, ZoneInfo("Asia/Tokyo"), None),
    ("CLAUDE_CONFIG_DIR", "/c", lambda s: s.config_dir, Path("/c"), "HOME/.claude"),
]
OTHER = {
    "MEMORIA_COMPILE_AFTER_HOUR": "9",
    "MEMORIA_CALLS_PER_HOUR": "9",
    "MEMORIA_TIMEZONE": "UTC",
    "MEMORIA_ENGINE": "claude",
}


@pytest.mark.parametrize("case", PRECEDENCE, ids=[case[0] for case in PRECEDENCE])
def test_environment_before_dotenv_before_default(vault, case):
    name, value, field, expected, default = case
    other = OTHER.get(name, "/other")
    if isinstance(default, str):
        default = default.replace("HOME", str(vault.parent / "home"))
        default = Path(default) if isinstance(expected, Path) else default
    assert field(read(vault)) == default
    assert field(read(vault, **{name: ""})) == default
    assert field(read(vault, **{name: value})) == expected
    assert field(read(vault, f"{name}={value}\n")) == expected
    assert field(read(vault, f"{name}={other}\n", **{name: value})) == expected
    assert field(read(vault, f"{name}={value}\n", **{name: other})) != expected


def test_an_option_comes_before_all(vault, tmp_path, monkeypatch):
    given = "MEMORIA_ENGINE=claude\nANTHROPIC_BASE_URL=http://127.0.0.1:1\n"
    more = {"OTHER": "1", "MEMORIA_EXCLUDE": "~/private/*"}
    found = read(vault, given, "offline", MEMORIA_ENGINE="auto", **more)
    assert found.engine == "offline"
    assert found.exclude == (f"{vault.parent / 'home'}/private/*",)
    # what the client needs is handed on
    assert (found.environment["ANTHROPIC_BASE_URL"], found.environment["OTHER"]) == (
        "http://127.0.0.1:1",
        "1",
    )
    monkeypatch.setenv("MEMORIA_ENGINE", "claude")
    assert load(str(vault)).engine == "claude"
    assert found_vault(str(vault), {"MEMORIA_VAULT": "/else"}, tmp_path) == vault
    assert found_vault("", {"MEMORIA_VAULT": "/else"}, tmp_path) == Path("/else")


def found_vault(*words, **more):
    return find_vault(*words, Registry(), **more)


def test_the_vault_where_nobody_names_one(tmp_path, monkeypatch):
    from memoria import settings

    # a clone is one only where it was registered or is to be made one
    assert found_vault("", {}, tmp_path) == tmp_path / "memoria"
    assert found_vault("", {}, tmp_path, making=True) == ROOT
    Registry().register(ROOT, Registry().choose_state_folder())
    monkeypatch.chdir(tmp_path)
    assert found_vault("", {}, tmp_path) == ROOT
    monkeypatch.setattr(settings, "PACKAGE", tmp_path / "lib" / "site-packages" / "memoria")
    assert found_vault("", {}, tmp_path) == tmp_path / "memoria"
    for name in (".memoria", "daily", "knowledge/concepts"):
        (tmp_path / "mine" / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "mine" / "knowledge" / "concepts")
    # it looks like a vault, and anybody's folder can
    assert found_vault("", {}, tmp_path) == tmp_path / "memoria"
    Registry().register(tmp_path / "mine", Registry().choose_state_folder())
    assert found_vault("", {}, tmp_path) == tmp_path / "mine"


def test_paths_from_home_and_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert found_vault("~/v", {}, tmp_path / "h") == tmp_path / "h" / "v"
    assert found_vault("~", {}, tmp_path / "h") == tmp_path / "h"
    assert found_vault("v", {}, tmp_path / "h") == tmp_path / "v"
    with pytest.raises(SettingsError, match="~nobody-of-that-name"):
        found_vault("~nobody-of-that-name/v", {}, tmp_path)


def test_a_state_folder_is_the_same_from_every_folder(vault):
    home = vault.parent / "home"
    Registry().register(vault, home / "state")
    assert read(vault, MEMORIA_STATE_DIR="~/state").state == home / "state"
    assert read(vault).state == home / "state"
    assert read(vault, CLAUDE_CONFIG_DIR="~/claude").config_dir == home / "claude"
    with pytest.raises(SettingsError, match=r"MEMORIA_STATE_DIR='state': use a full path"):
        read(vault, MEMORIA_STATE_DIR="state")
    with pytest.raises(SettingsError, match="is not the state registered"):
        read(vault, MEMORIA_STATE_DIR="/s")
    # no file says where it lies
    assert read(vault, "MEMORIA_STATE_DIR=/s\n").state == home / "state"
    assert read(vault, "", CLAUDE_CONFIG_DIR="claude").config_dir.is_absolute()


@cased(("MEMORIA_CALLS_PER_HOUR", "9" * 5000, "use a whole number"))
@pytest.mark.parametrize("where", ["environment", ".env"])
def test_a_bad_value_is_refused_by_name_with_what_to_use(vault, name, value, said, where):
    given = {name: value} if where == "environment" else {"dotenv": f"{name}='{value}'\n"}
    with pytest.raises(UsageError) as refused:
        read(vault, **given)
    assert said in str(refused.value)
    assert "engine" in str(refused.value) or name in str(refused.value)
    assert refused.value.exit_code == 2
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["\ufeffMEMORIA_ENGINE=offline", "export MEMORIA_ENGINE='offline'\r\n# x\r\n\r\njunk\r\n"],
)
def test_dotenv_as_editors_write_it(vault, text):
    assert read(vault, text).engine == "offline"


def test_a_dotenv_that_cannot_be_read_is_named(vault):
    with pytest.raises(SettingsError, match=r"\.env cannot be read"):
        read(vault, b"MEMORIA_ENGINE=caf\xe9\n")
    (registry.config_home() / ".env").unlink()
    (registry.config_home() / ".env").mkdir()
    assert read(vault).engine == "auto"


STEERING = sorted(name for name in VARIABLES if name not in OF_A_VAULT)
LOGIN = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "HTTPS_PROXY", "AWS_PROFILE", "API_TOKEN"]


@pytest.mark.parametrize("name", [*STEERING, *LOGIN])
def test_a_vault_may_not_set_it(vault, name):
    (vault / ".env").write_text(f"{name}=/there-and-nowhere-else\n")
    found = read(vault)
    assert found == replace(read(vault), state=found.state)
    assert found.ignored == (name,)
    assert "nowhere-else" not in repr(found)


def test_a_vault_may_set_display_zone_limits_and_excludes(vault):
    lines = {"MEMORIA_TIMEZONE": "Asia/Tokyo", "MEMORIA_EXCLUDE": "/a/*"}
    numbers = OF_A_VAULT - lines.keys()
    (vault / ".env").write_text(
        "".join(f"{name}={lines.get(name, '7')}\n" for name in sorted(OF_A_VAULT))
    )
    found = read(vault)
    assert (found.zone, found.exclude, found.ignored) == (ZoneInfo("Asia/Tokyo"), ("/a/*",), ())
    assert {found.environment[name] for name in numbers} == {"7"}
    # the person's own file comes before it
    assert read(vault, "MEMORIA_EXCLUDE=/b/*\n").exclude == ("/b/*",)


def test_the_env_of_a_folder_that_is_no_vault_here_is_not_read(vault):
    (vault / ".env").write_text("MEMORIA_EXCLUDE=/a/*\n")
    assert load(str(vault)).exclude == ()
    Registry().register(vault, Registry().choose_state_folder())
    assert load(str(vault)).exclude == ("/a/*",)


def test_a_vaults_env_reads_no_variable_and_is_no_link(vault, tmp_path):
    (vault / ".env").write_text("MEMORIA_EXCLUDE=${HOME}\n")
    assert read(vault).exclude == ("${HOME}",)
    (vault / ".env").rename(tmp_path / "there")
    (vault / ".env").symlink_to(tmp_path / "there")
    assert read(vault).exclude == ()


def key(*parts):
    return "-".join(parts)


LONG = key("f3Kq", "81xz", "Ww02")


SECRET_NAMES = """
OPENAI_API_KEY APIKEY STRIPE_KEY_LIVE GH_TOKEN GITHUB_TOKEN2 NPM_TOKEN_ACME SECRET CLIENT_SECRET
DB_PASSWORD DB_PASSWORD_PROD MYSQL_PWD PGPASSWORD ROOT_PASSWD SMTP_PASS GPG_PASSPHRASE GITHUB_PAT
AWS_CREDENTIALS BASIC_AUTH AWS_ACCESS_KEY_ID SECRET_KEY_BASE api_key SSH_PRIVATEKEY ACCESS_KEYS
"""
OTHER_NAMES = """
AUTHOR GIT_AUTHOR_NAME KEYBOARD MONKEY TURKEY_SITE COMPASS BYPASS PATH PATTERN PWD OLDPWD PASSAGE
TOKENIZER KEYNOTE SSH_AUTH_SOCK TOKEN_URL AUTH_TYPE SECRET_BACKEND KEY_FILE PASSWORD_STORE_DIR
CREDENTIALS_PROVIDER PASSPORT HOSTNAME PATIENT MAX_TOKENS
"""


@pytest.mark.parametrize("name", SECRET_NAMES.split())
def test_values_of_variables_that_are_named_a_secret_are(vault, name):
    assert read(vault, **{name: LONG}).secrets == (LONG,)
    assert read(vault, f"{name}={LONG}\n").secrets == (LONG,)


@pytest.mark.parametrize("name", OTHER_NAMES.split())
def test_values_of_other_variables_are_not(vault, name):
    assert read(vault, **{name: LONG}).secrets == ()


@cased(("/+k3" + "9fQz01aB", True), ("x" * 100_000, True))
def test_a_value_that_stands_in_any_text_is_no_secret(vault, value, secret):
    value = value.replace("VAULT", str(vault))
    assert read(vault, API_TOKEN=value).secrets == ((value,) if secret else ())


def test_the_longest_secret_comes_first(vault):
    found = read(vault, A_KEY=LONG, B_KEY=LONG + "tail", C_TOKEN=LONG, D_TOKEN=LONG[::-1])
    assert found.secrets == (LONG + "tail", *sorted([LONG, LONG[::-1]]))


def strings(path):
    """Give the words in capitals of a module, with the dictionary VARIABLES left out."""
    text = path.read_text(encoding="utf-8")
    if not any(name in text for name in ("MEMORIA_", *VARIABLES)):
        return set()
    tree = ast.parse(text)
    listed = {
        id(key)
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "VARIABLES"
        for key in getattr(node.value, "keys", ())
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in listed
    }


def test_every_variable_is_listed_and_every_listed_one_is_read():
    sources = [*(ROOT / "scripts").rglob("*.py"), *(ROOT / "hooks").glob("*.py")]
    named = {word for path in sources for word in strings(path)}
    ours = {word for word in named if word.startswith("MEMORIA_") and word.isidentifier()}
    assert ours == {name for name in VARIABLES if name.startswith("MEMORIA_")}
    assert set(VARIABLES) <= named
    assert all(name in VARIABLES["MEMORIA_ENGINE"] for name in ENGINES)


def test_the_environment_is_read_here_alone():
    """Hooks, the look for an agent, git's environment and a terminal's width read a few, too."""
    readers = set()
    for path in (ROOT / "scripts" / "memoria").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "os.environ" in text.partition('"""')[2].partition('"""')[2] or "getenv(" in text:
            readers.add(path.relative_to(ROOT / "scripts" / "memoria").as_posix())
    others = {name for name in readers if not name.startswith("hooks/")}
    assert others == {
        "settings.py",
        "terminal.py",
        "terminal_processes.py",
        "vault/storage/foreign_git.py",
    }


def test_an_error_names_where_the_value_stands(vault):
    own, theirs = registry.config_home() / ".env", vault / ".env"
    wrong = "is not a time zone; it stands in "
    with pytest.raises(SettingsError, match=f"{wrong}the environment$"):
        read(vault, MEMORIA_TIMEZONE="Nope/x")
    theirs.write_text("# a team's\nMEMORIA_TIMEZONE=UTC\nexport MEMORIA_TIMEZONE = Nope/x\n")
    with pytest.raises(SettingsError, match=f"{wrong}line 3 of {theirs}$"):
        read(vault)
    with pytest.raises(SettingsError, match=f"{wrong}line 2 of {own}$"):
        read(vault, "MEMORIA_RULES=5\nMEMORIA_TIMEZONE=Nope/y\n")
    with pytest.raises(SettingsError, match=f"from 0 to 24; it stands in line 1 of {own}$"):
        read(vault, "\ufeffMEMORIA_COMPILE_AFTER_HOUR=25\n", MEMORIA_TIMEZONE="UTC")
    assert read(vault, "MEMORIA_EXCLUDE=/a/*\n", MEMORIA_TIMEZONE="UTC").exclude_place == (
        f"line 1 of {own}"
    )


def test_a_vaults_own_file_widens_no_budget_once_git_has_it(vault):
    limits = "MEMORIA_CALLS_PER_HOUR=100000\n"
    (vault / ".env").write_text(
        f"{limits}MEMORIA_EXCLUDE=/private/*\nMEMORIA_TIMEZONE=Asia/Tokyo\n"
    )
    for words in (("init", "-q"), ("add", "-A")):
        assert read(vault).calls_per_hour == 100_000  # a person's own, on this machine alone
        subprocess.run(["git", *words], cwd=vault, check=True)
    found = read(vault)
    assert found.calls_per_hour == 60
    assert "ignored" in found.notice
    assert "MEMORIA_CALLS_PER_HOUR;" in found.notice
    # to drop an exclude captures what somebody wants left out
    assert (found.exclude, found.zone) == (("/private/*",), ZoneInfo("Asia/Tokyo"))
    assert read(vault, "MEMORIA_CALLS_PER_HOUR=70\n").calls_per_hour == 70


@cased()
def test_the_home_is_where_the_agents_of_the_system_look_for_it(
    vault, monkeypatch, platform, variables, home
):
    monkeypatch.setattr(sys, "platform", platform)
    found = load(str(vault), "", variables, makes_vault=True)
    assert (found.home, found.config_dir) == (Path(home), Path(home) / ".claude")


def test_a_glob_in_the_home_may_be_written_as_on_windows(vault):
    home = str(vault.parent / "home")
    assert read(vault, MEMORIA_EXCLUDE="~\\work\\*, ~/x").exclude == (
        f"{home}\\work\\*",
        f"{home}/x",
    )
