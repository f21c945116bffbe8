"""Make the key of a session's project out of its working folder or its git config.

Worktrees and clones of one remote are one project. A password in an address never gets into a key.
Hooks load this module: it imports nothing.
"""

# A key goes into file names, front matter and prompts: longer than this is no address of a person.
MAX_ADDRESS = 255
# Where agents and people put the worktrees of a repository: what follows is the worktree's name.
WORKTREES = ((".claude", "worktrees"), (".worktrees",))
BESIDE = ("__worktrees", ".worktrees")  # ... behind the name of its folder, beside it
# Enough of a slug to be read in a listing; the hash behind it tells projects apart.
SLUG_LENGTH = 40
# FNV-1a of 64 bits: hashlib would cost a hook 3 ms. Nothing rests on it being hard to forge, since
# a hostile repository can just as well name somebody else's remote.
FNV_START, FNV_PRIME, FNV_MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def remote_key(git_config_text: str) -> str:
    """Give "host/owner/repo" or the folder of `origin`, else of the first remote, else ""."""
    first_key = ""
    for name, url in _parse_remotes(git_config_text):
        key = _parse_address(url)
        if key and name == "origin":
            return key
        first_key = first_key or key
    return first_key


def folder_key(cwd: str) -> str:
    """Give the folder with `/` between its parts, a worktree's folder as its repository's.

    What cannot be printed becomes "?", since a key gets into Markdown.
    """
    path = "".join(char if char.isprintable() else "?" for char in cwd.replace("\\", "/"))
    parts = [part for part in path.split("/") if part not in {"", "."}]
    for mark in WORKTREES:
        parts = _remove_nested_worktree(parts, mark)
    parts = _remove_sibling_worktree(parts)
    if parts and _is_drive(parts[0]):
        parts[0] = parts[0].lower()
    lead = "//" if path.startswith("//") else "/" if path.startswith("/") else ""
    return lead + "/".join(parts)


def label(key: str) -> str:
    """Give the project's short name, for people: the last part of its key."""
    return key.rstrip("/").rpartition("/")[2] or key


def file_name(key: str) -> str:
    """Give a name for the project's files: [a-z0-9-] alone, distinct for distinct keys."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in label(key))
    slug = "-".join(words.lower().split())[:SLUG_LENGTH].strip("-")
    value = FNV_START
    for byte in key.encode("utf-8", "replace"):
        value = (value ^ byte) * FNV_PRIME & FNV_MASK
    return f"{slug or 'project'}-{value:016x}"


def _remove_nested_worktree(parts: list[str], mark: tuple[str, ...]) -> list[str]:
    """Leave out the mark and what follows: a worktree's name, which may be a branch's "ana/fix"."""
    size = len(mark)
    starts = (at for at in range(len(parts) - size) if tuple(parts[at : at + size]) == mark)
    return parts[: next(starts, len(parts))]


def _remove_sibling_worktree(parts: list[str]) -> list[str]:
    """Put a repository for a worktree beside it: "repo__worktrees/NAME" is "repo"."""
    for at, part in enumerate(parts[:-1]):
        for mark in BESIDE:
            if part.endswith(mark) and part != mark:
                return [*parts[:at], part[: -len(mark)]]
    return parts


def _is_drive(part: str) -> bool:
    return len(part) == len("C:") and part[1] == ":" and part[0].isalpha()


def _parse_remotes(text: str) -> list[tuple[str, str]]:
    """Find (remote, url) in the order of the file; values that go on over a line end are not."""
    remotes, remote = [], ""
    for raw in text.split("\n"):
        line = raw.strip()
        if line.startswith("["):
            # of `[remote "NAME"] rest`; any other section has no name here
            head, _, line = line.partition('"]')
            section, _, name = head[1:].partition('"')
            remote = name if section.strip().lower() == "remote" else ""
        name, equals, value = line.partition("=")
        if remote and equals and name.strip().lower() == "url":
            remotes.append((remote, _parse_value(value)))
    return remotes


def _parse_value(raw: str) -> str:
    """Leave out a comment and git's quotes."""
    value = raw.strip()
    if value.startswith('"'):
        return value[1:].partition('"')[0].replace("\\\\", "\\")
    return value.partition("#")[0].partition(";")[0].replace("\\\\", "\\").strip()


def _parse_address(url: str) -> str:
    """Give the key of a remote's address, "" for one that names nothing beyond this repository."""
    if len(url) > MAX_ADDRESS or not url.isprintable():
        return ""
    scheme, separator, address = url.partition("://")
    if separator and scheme.lower() == "file":
        return _parse_local_path(address)
    if separator:
        return _join_host_path(*_split_authority(address))
    head = url.partition("/")[0]
    if ":" not in head or _is_drive(url[:2]):
        return _parse_local_path(url)
    host, _, path = url[url.rfind("@", 0, len(head)) + 1 :].partition(":")
    # "ext::COMMAND" runs a program: no address, and its arguments are nobody's business
    return "" if path.startswith(":") else _join_host_path(host, path)


def _parse_local_path(path: str) -> str:
    """Give the folder of a local remote; a relative one means nothing without its repository."""
    key = folder_key(path)
    if _is_drive(key[1:3]):  # file:///C:/repo
        key = folder_key(key[1:])
    if not key.startswith("/") and not _is_drive(key[:2]):
        return ""
    return key.removesuffix("/.git").removesuffix(".git")


def _split_authority(address: str) -> tuple[str, str]:
    """Split what follows `://` into host and path, the user and the password left out.

    After an unescaped "/" in a password the host begins behind the last "@".
    """
    head = address.partition("/")[0]
    port = head.rpartition("]")[2].partition(":")[2]
    if "@" in head:
        address = address[head.rindex("@") + 1 :]
    elif port and not port.isdigit():
        address = address.rpartition("@")[2]
    host, _, path = address.partition("/")
    return host, path


def _join_host_path(host: str, path: str) -> str:
    """Join host and path to a key, "" where either is none."""
    bracket = host.rfind("]")  # an IPv6 address holds colons of its own
    name = host[: bracket + 1] + host[bracket + 1 :].partition(":")[0]
    if not name or not all(char.isalnum() or char in "-._:[]" for char in name):
        return ""
    clean_path = path.replace("\\", "/").partition("?")[0].partition("#")[0]
    parts = [part for part in clean_path.split("/") if part not in {"", "."}]
    tail = "/".join(parts).removesuffix(".git").rstrip("/")
    return f"{name.lower()}/{tail}" if tail else ""
