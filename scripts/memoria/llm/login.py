"""Find how the person is logged in, and what of it a model call needs.

A call runs without the person's settings, so key helpers and switches are passed on by name. A
*project's* settings are never read for this: a repository could name a program that we would run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoria.text.json_text import read_object

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
PROVIDERS = tuple(
    f"CLAUDE_CODE_USE_{name}"
    for name in "BEDROCK VERTEX FOUNDRY MANTLE ANTHROPIC_AWS ANTHROPIC_GOOGLE_CLOUD GATEWAY".split()  # noqa: SIM905 - a list of names reads best as text
)
# Programs that fetch or refresh credentials; keys of the settings file.
HELPERS = tuple(
    "apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh proxyAuthHelper".split()  # noqa: SIM905 - as above
)
# Where the service is and how to get through to it.
ROUTES = frozenset(
    """ANTHROPIC_BASE_URL ANTHROPIC_CUSTOM_HEADERS ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION
    CLAUDE_CODE_API_KEY_HELPER_TTL_MS CLAUDE_CODE_CERT_STORE CLAUDE_CODE_PROXY_RESOLVES_HOSTS
    CLAUDE_CONFIG_DIR CLOUD_ML_REGION HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS
    SSL_CERT_FILE""".split()  # noqa: SIM905 - as above
)
# CLAUDE_CODE_CLIENT_: a client's certificate and key; ANTHROPIC_DEFAULT_: what a provider calls the
# models that "haiku" or "sonnet" stand for
FAMILIES = tuple(
    """ANTHROPIC_AWS_ ANTHROPIC_BEDROCK_ ANTHROPIC_DEFAULT_ ANTHROPIC_FOUNDRY_
    ANTHROPIC_GOOGLE_CLOUD_ ANTHROPIC_VERTEX_ AWS_ CLAUDE_CODE_CLIENT_ GOOGLE_
    VERTEX_REGION_""".split()  # noqa: SIM905 - as above
)
OFF = ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Login:
    """How the person is logged in, in words ("" = not at all), and what a call must be given.

    `env` and `settings` hold what was found in the person's settings file; the environment itself
    reaches a call anyway.
    """

    how: str
    env: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


def carries_login(name: str) -> bool:
    """Tell whether an environment variable says how to log in or how to reach the service."""
    upper = name.upper()  # proxies are written in lower case as well
    skips = upper.startswith("CLAUDE_CODE_SKIP_") and upper.endswith("_AUTH")
    return skips or upper in {*KEYS, *PROVIDERS, *ROUTES} or upper.startswith(FAMILIES)


def find_login(env: Mapping[str, str], home: Path) -> Login:
    """Look for a login where the client does: environment, user settings, its own files."""
    folder = Path(env["CLAUDE_CONFIG_DIR"]) if env.get("CLAUDE_CONFIG_DIR") else None
    settings = _read_json((folder or home / ".claude") / "settings.json")
    variables = settings.get("env")
    pairs = variables.items() if isinstance(variables, dict) else ()
    extra = {name: text for name, text in pairs if isinstance(text, str) and carries_login(name)}
    helpers = {name: value for name in HELPERS if isinstance(value := settings.get(name), str)}
    words = (
        # a variable that is empty is none: it hides no key of the settings, in the client neither
        _find_in_environment({**extra, **{name: value for name, value in env.items() if value}})
        or ("a key helper of the user's settings" if helpers.get("apiKeyHelper") else "")
        or _find_in_files(folder or home / ".claude", (folder or home) / ".claude.json")
    )
    # what the process has comes first, as it does in the client
    return Login(words, {name: text for name, text in extra.items() if not env.get(name)}, helpers)


def describe_login(env: Mapping[str, str], home: Path) -> str:
    """Say in words how the person is logged in, "" where no login is found; asks nobody."""
    return find_login(env, home).how


def _find_in_environment(env: Mapping[str, str]) -> str:
    providers = [name for name in PROVIDERS if env.get(name, "").lower() not in OFF]
    return next((name for name in KEYS if env.get(name)), next(iter(providers), ""))


def _find_in_files(folder: Path, state: Path) -> str:
    oauth = _read_json(folder / ".credentials.json").get("claudeAiOauth")
    if isinstance(oauth, dict) and (oauth.get("accessToken") or oauth.get("refreshToken")):
        return "a login of Claude Code"
    account = _read_json(state)
    if account.get("primaryApiKey"):
        return "a key that Claude Code keeps"
    # On macOS the tokens lie in the keychain; only the account's name is in the file.
    return "a login of Claude Code, in the keychain" if account.get("oauthAccount") else ""


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return read_object(path.read_bytes())
    except OSError:
        return {}  # absent or unreadable: no login is found there
