"""Give the key of a working folder's project without secrets.

A token in the name of a folder or in a remote's path would stand in every log, page and file name.
Hooks and verbs have to come to the same key, so both ask here: the forms of secrets decide and no
value of an environment, which differs between them. A hook waits 30 ms for those forms, so they are
loaded only where a key has something that no plain name has.
"""

from memoria.agents.claude_code import git

# what stands before a value, or hides one: an address of a person has none of them
_MARKS = "=:%&@?"
# fewer letters and digits in a row are a version, a date, a short hash
_MIN_MIXED = 10
# no word of a language is as long: letters alone can be a key, too
_MIN_WORD = 24


def project_key(cwd: str) -> str:
    """Give the key as `git.project_key` does, with `REDACTED-kind` where a secret stands in it."""
    key = git.project_key(cwd)
    if not _may_hold_secret(key):
        return key
    import re  # noqa: PLC0415 - see above

    from memoria.privacy.secrets import redact  # noqa: PLC0415 - see above

    # brackets would end a link, and in a glob they mean something
    return re.sub(r"\[(REDACTED):([a-z0-9-]+)\]", r"\1-\2", redact(key).text)


def _may_hold_secret(key: str) -> bool:
    """Say whether a key has a mark, a long word, or letters and digits in one word."""
    path = key[2:] if key[1:2] == ":" else key  # a drive
    if any(mark in path for mark in _MARKS):
        return True
    words = "".join(char if char.isalnum() else " " for char in path).split()
    return any(len(word) >= _MIN_WORD or _is_mixed(word) for word in words)


def _is_mixed(word: str) -> bool:
    return len(word) >= _MIN_MIXED and not word.isalpha() and not word.isdigit()
