"""Read the settings from environment, .env files and defaults: the only reader of os.environ.

An option of the command line wins over the environment, the environment over the person's own .env
(in their configuration folder), that over the .env of the vault, that over the defaults. A vault
may come from anybody, so its .env sets only what is listed in OF_A_VAULT. (The hooks read the two
or three variables they need by themselves: loading this module would cost them more than all their
work.)
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from pathlib import Path

from memoria.errors import SettingsError, UsageError, VaultError
from memoria.learning.session_rules import EPSILON, K
from memoria.vault.storage import registry
from memoria.vault.storage.registry import Registry

PACKAGE = Path(__file__).resolve().parent
ENGINES = ("auto", "claude", "offline")
# as learning/policy.py has them; loading that would load numpy at every start
POLICIES = ("joint", "beta-thompson", "all", "none")
# after the working day: the day's log is compiled once and not after every session
_COMPILE_AFTER_HOUR = 18
# far above a person's day, far below what a recursion makes in a minute
_CALLS_PER_HOUR = 60
# aliases of the client, which stay when models change: the cheap class writes entries, the middle
# one compiles
_FLUSH_MODEL, _COMPILE_MODEL = "haiku", "sonnet"
# in the names of variables that hold a secret: whole words, and endings of words that nothing else
# ends with (so neither MONKEY nor AUTHOR nor COMPASS)
_SECRET_WORDS = set("KEY KEYS PASS PASSWD PASSPHRASE PAT PWD AUTH CREDENTIAL CREDENTIALS".split())  # noqa: SIM905 - a list of words reads best as text
_SECRET_ENDINGS = ("TOKEN", "SECRET", "PASSWORD", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY")
# behind them these say that the value is about a secret and none itself (TOKEN_URL)
_ABOUT_SECRETS = set(
    """ALG ALGORITHM BACKEND CMD COMMAND DIR ENABLED ENDPOINT EXPIRES EXPIRY FILE FORMAT HEADER
    HELPER HOST LENGTH LIMIT MANAGER MAP METHOD MODE NAME PATH PORT PREFIX PROVIDER REGION REQUIRED
    SCOPE SCOPES SERVER SIZE SOCK SOCKET STORE TTL TYPE URI URL USER USERNAME VERSION
    """.split()  # noqa: SIM905 - as above
)
# shorter values occur in ordinary text, and replacing them would destroy it; so do plain words that
# stand for a password in development (postgres)
_SECRET_LENGTH, _WORD_LENGTH = 8, 12

# every variable that Memoria reads; tests compare them with the README and with what is read
VARIABLES: Mapping[str, str] = {
    "MEMORIA_VAULT": "the vault, where --vault does not say it",
    "MEMORIA_STATE_DIR": "the state that is registered for the vault; any other is refused",
    "MEMORIA_ENGINE": "auto (default), claude or offline",
    "MEMORIA_MODEL_FLUSH": f"model that writes entries (default {_FLUSH_MODEL})",
    "MEMORIA_MODEL_COMPILE": f"model that compiles (default {_COMPILE_MODEL})",
    "MEMORIA_COMPILE_AFTER_HOUR": f"hour of the daily compile (default {_COMPILE_AFTER_HOUR})",
    "MEMORIA_CALLS_PER_HOUR": f"most model calls in an hour (default {_CALLS_PER_HOUR})",
    "MEMORIA_POLICY": "which rules sessions get: joint (default), beta-thompson, all or none",
    "MEMORIA_RULES": f"most rules in a session (default {K})",
    "MEMORIA_WITHHOLD": f"chance that a chosen rule is withheld, to learn (default {EPSILON})",
    "MEMORIA_EXCLUDE": "globs of folders or projects that are not captured, separated by commas",
    "MEMORIA_TIMEZONE": "zone of days and times (default: the system's)",
    "MEMORIA_TEAM": "address of the team's database, where `memoria team` is given none",
    "MEMORIA_DISABLE": "1 switches every hook off",
    "CLAUDE_CONFIG_DIR": "Claude Code's own folder (default ~/.claude)",
}
# those that the .env of a vault may set: display, time zone, limits, excludes
OF_A_VAULT = frozenset(
    """MEMORIA_CALLS_PER_HOUR MEMORIA_COMPILE_AFTER_HOUR MEMORIA_EXCLUDE
    MEMORIA_TIMEZONE""".split()  # noqa: SIM905 - as above
)


# what a vault's .env may not set once git brings it: anybody can push a file, and what a person
# spends is theirs to say. Excludes stay, since to drop one captures what was to be left out
_BUDGET = "MEMORIA_CALLS_PER_HOUR"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a command is told from outside."""

    vault: Path
    state: Path  # a folder that is not there yet where the vault is not `registered`
    engine: str
    models: Mapping[str, str]
    compile_after_hour: int
    calls_per_hour: int
    exclude: tuple[str, ...]
    zone: tzinfo | None  # None means the system's
    config_dir: Path
    home: Path
    # values of variables whose names say secret: they are replaced wherever they turn up
    secrets: tuple[str, ...]
    environment: Mapping[str, str]  # passed on to the client by name
    policy: str = "joint"
    slate: int = K
    withhold: float = EPSILON
    registered: bool = True
    ignored: tuple[str, ...] = ()  # names in the vault's .env that a vault may not set
    misspelt: tuple[str, ...] = ()  # names of ours in the person's own .env that nothing reads
    chosen: bool = True  # a verb that is given no vault chooses this one, too
    exclude_place: str = ""  # where the excludes stand, "" for none

    @property
    def notice(self) -> str:
        """Say what of a .env counts for nothing, of the vault's where it would; "" for nothing."""
        names, place = ", ".join(self.ignored), registry.config_home() / ".env"
        notices = [
            f"ignored in {self.vault / '.env'}: {names}; set them in your environment or in {place}"
        ] * bool(self.ignored)
        for name in self.misspelt:
            from difflib import get_close_matches  # noqa: PLC0415 - for a wrong name alone

            meant = get_close_matches(name, VARIABLES, 1)
            hint = f" (did you mean {meant[0]}?)" if meant else ""
            notices.append(f"{place} sets {name}, which is no setting of Memoria's{hint}")
        return "; ".join(notices)


def load(
    vault: str = "",
    engine: str = "",
    environ: Mapping[str, str] | None = None,
    *,
    makes_vault: bool = False,
) -> Settings:
    """Read the settings; UsageError or SettingsError says which value is wrong and what to use.

    `makes_vault`: the command makes a vault where none is.
    """
    environ = os.environ if environ is None else environ
    # where the agents look for it: Windows' shells set HOME to folders of their own
    names = ("USERPROFILE", "HOME") if sys.platform == "win32" else ("HOME", "USERPROFILE")
    home = Path(next(filter(None, map(environ.get, names)), "") or Path.home())
    registered = Registry()
    root = find_vault(vault, environ, home, registered, making=makes_vault)
    state = _find_state(root, registered, environ.get("MEMORIA_STATE_DIR", ""), home)
    vault_values = _read_dotenv(root / ".env", is_own=False) if state or makes_vault else {}
    allowed = _filter_allowed(root, vault_values)
    own_values = _read_dotenv(registry.config_home() / ".env", is_own=True)
    values = {**allowed, **own_values, **environ}
    exclude = _parse_globs(values.get("MEMORIA_EXCLUDE", ""), home)
    number = partial(_parse_number, values)
    with _locate_errors(root, environ):
        policy = values.get("MEMORIA_POLICY") or POLICIES[0]
        if policy not in POLICIES:
            raise SettingsError(f"MEMORIA_POLICY={policy!r}: use one of {', '.join(POLICIES)}")
        return Settings(
            vault=root,
            state=state or registered.choose_state_folder(),
            engine=_parse_engine(engine or values.get("MEMORIA_ENGINE") or "auto"),
            models={
                "flush": values.get("MEMORIA_MODEL_FLUSH") or _FLUSH_MODEL,
                "compile": values.get("MEMORIA_MODEL_COMPILE") or _COMPILE_MODEL,
            },
            compile_after_hour=number("MEMORIA_COMPILE_AFTER_HOUR", _COMPILE_AFTER_HOUR, 24),
            calls_per_hour=number("MEMORIA_CALLS_PER_HOUR", _CALLS_PER_HOUR, 100_000),
            exclude=exclude,
            exclude_place=_find_place("MEMORIA_EXCLUDE", root, environ) if exclude else "",
            zone=_parse_zone(values.get("MEMORIA_TIMEZONE", "")),
            config_dir=_parse_path(values.get("CLAUDE_CONFIG_DIR") or str(home / ".claude"), home),
            home=home,
            secrets=_find_secrets(values),
            environment=dict(values),
            policy=policy,
            slate=number("MEMORIA_RULES", K, 1_000),
            withhold=_parse_share(values, "MEMORIA_WITHHOLD", EPSILON),
            registered=state is not None,
            ignored=tuple(sorted(vault_values.keys() - allowed.keys())),
            misspelt=tuple(
                name
                for name in own_values
                if name.partition("_")[0] == "MEMORIA" and name not in VARIABLES
            ),
            # a hint may be a verb that makes a vault, and what is made now will be found by all
            chosen=root == find_vault("", environ, home, registered, making=True),
        )


def _filter_allowed(root: Path, values: Mapping[str, str]) -> dict[str, str]:
    """Give what a vault's .env may set; no budget where git tracks the file."""
    allowed = {name: value for name, value in values.items() if name in OF_A_VAULT}
    if _BUDGET in allowed:
        from memoria.vault.trust import line_authors  # noqa: PLC0415 - few have such a file

        if line_authors.is_tracked(root, ".env"):
            del allowed[_BUDGET]
    return allowed


@contextmanager
def _locate_errors(root: Path, environ: Mapping[str, str]) -> Iterator[None]:
    """Say in an error about a variable where its value stands."""
    try:
        yield
    except SettingsError as error:
        name = re.split(r"\W", str(error), maxsplit=1)[0]
        place = _find_place(name, root, environ) if name in VARIABLES else ""
        if not place:
            raise
        raise SettingsError(f"{error}; it stands in {place}") from error


def _find_place(name: str, root: Path, environ: Mapping[str, str]) -> str:
    """Say where the value of a variable comes from; "" where none is set."""
    if name in environ:
        return "the environment"
    for path in (registry.config_home() / ".env", root / ".env"):
        lines: list[str] = []
        with suppress(OSError, UnicodeDecodeError):  # none is there
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        for number in range(len(lines), 0, -1):  # the last one counts
            if re.match(rf"\s*(?:export\s+)?['\"]?{name}\b['\"]?\s*=", lines[number - 1]):
                return f"line {number} of {path}"
    return ""


def _parse_share(values: Mapping[str, str], name: str, default: float) -> float:
    text = values.get(name) or str(default)
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share < 1.0:
        raise SettingsError(f"{name}={text!r}: use a number from 0 to below 1")
    return share


def find_vault(
    option: str, environ: Mapping[str, str], home: Path, vaults: Registry, *, making: bool = False
) -> Path:
    """Say which vault is meant: the one named, the registered one around this folder, the default.

    The default is the clone that this is run from, where that is a vault or is to become one, else
    ~/memoria. A folder that only looks like a vault is none: anybody's repository can look so.
    """
    name = option or environ.get("MEMORIA_VAULT") or ""
    if name:
        return _parse_path(name, home)
    with suppress(FileNotFoundError):  # the folder is gone
        if vault := vaults.find_vault_around(Path.cwd()):
            return vault
    clone = PACKAGE.parents[1]
    is_clone = (clone / "pyproject.toml").is_file() and (clone / "AGENTS.md").is_file()
    if is_clone and (making or vaults.state(clone)):
        return clone
    return home / "memoria"


def _find_state(root: Path, vaults: Registry, name: str, home: Path) -> Path | None:
    """Give the registered state of a vault, None without one; an environment can only confirm it.

    SettingsError where it names another folder, VaultError for a state that others can write to.
    """
    state = vaults.state(root)
    if name and parse_folder("MEMORIA_STATE_DIR", name, home) != state:
        raise SettingsError(
            f"MEMORIA_STATE_DIR={name!r} is not the state registered for {root}: unset it, or "
            f"move that folder and name it by `memoria init --state DIR`"
        )
    fault = registry.find_folder_fault(state) if state else ""
    if fault:
        raise VaultError(f"{state} cannot hold the state of {root}: {fault}")
    return state


def _read_dotenv(path: Path, *, is_own: bool) -> dict[str, str]:
    """Read a .env file; only the person's own may be a link and may refer to other variables."""
    if not path.is_file() or (path.is_symlink() and not is_own):
        return {}
    from dotenv import dotenv_values  # noqa: PLC0415 - most have no such file

    try:
        # Windows' editors begin a file with a mark, which would become part of the first name
        pairs = dotenv_values(path, encoding="utf-8-sig", interpolate=is_own)
    except (OSError, UnicodeDecodeError) as error:
        fault = getattr(error, "strerror", None) or "it is not UTF-8"
        text = f"{path} cannot be read: {fault}; correct it, or move it away"
        raise SettingsError(text) from error
    return {name: value for name, value in pairs.items() if value is not None}


def _parse_engine(name: str) -> str:
    if name in ENGINES:
        return name
    names = ", ".join(ENGINES)
    raise UsageError(f"unknown engine {name!r}: use one of {names} (--engine, MEMORIA_ENGINE)")


def _parse_number(values: Mapping[str, str], name: str, default: int, maximum: int) -> int:
    text = values.get(name) or str(default)
    # Python refuses to read thousands of digits, with an error of its own
    is_short = len(text) <= len(str(maximum))
    if is_short and text.isascii() and text.isdigit() and int(text) <= maximum:
        return int(text)
    raise SettingsError(f"{name}={text!r}: use a whole number from 0 to {maximum}")


def _parse_path(text: str, home: Path) -> Path:
    if text == "~" or text.startswith(("~/", "~\\")):
        return home / text[2:]
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:  # ~somebody, and there is no such user
        raise SettingsError(f"{text!r}: there is no such home folder; use a full path") from error


def parse_folder(name: str, text: str, home: Path) -> Path:
    """Read a folder that is given in full; SettingsError, naming the setting, for any other."""
    # hooks and commands run in all kinds of folders: a relative path would be another in each
    if not Path(text).is_absolute() and not text.startswith("~"):
        raise SettingsError(f"{name}={text!r}: use a full path, or one that begins with ~/")
    return _parse_path(text, home)


def _parse_globs(text: str, home: Path) -> tuple[str, ...]:
    globs = (glob.strip() for glob in text.split(",") if glob.strip())
    return tuple(f"{home}{glob[1:]}" if glob[:2] in {"~/", "~\\"} else glob for glob in globs)


def _parse_zone(name: str) -> tzinfo | None:
    if not name:
        return None
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - most have the system's zone

    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:  # ZoneInfoNotFoundError is a KeyError
        raise SettingsError(f"MEMORIA_TIMEZONE={name!r} is not a time zone") from error


def _find_secrets(values: Mapping[str, str]) -> tuple[str, ...]:
    secrets = {value for name, value in values.items() if _names_secret(name) and _is_secret(value)}
    return tuple(sorted(secrets, key=lambda value: (-len(value), value)))


def _names_secret(name: str) -> bool:
    words = [word.rstrip("0123456789") for word in name.upper().split("_")]
    if words == ["PWD"]:  # the folder that the shell is in
        return False
    for at in reversed(range(len(words))):
        if words[at] in _SECRET_WORDS or words[at].endswith(_SECRET_ENDINGS):
            return not _ABOUT_SECRETS & set(words[at + 1 :])
    return False


def _is_secret(value: str) -> bool:
    if len(value) < _SECRET_LENGTH or (value.isalpha() and len(value) < _WORD_LENGTH):
        return False
    # the path of a key is none; some keys begin with a slash all the same
    return not os.path.exists(value)  # noqa: PTH110 - Path.exists() raises for a long text
