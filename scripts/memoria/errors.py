"""Define every error that a person can meet, by whose fault it is, with its exit code.

Each carries one line that says what to do. They are caught in cli/main.py, and for tools in
mcp/protocol.py.
"""


class MemoriaError(Exception):
    """Root of all errors that Memoria raises on purpose; its text is one line for the person."""

    exit_code = 1


class UsageError(MemoriaError):
    """The command line, an option's value or a setting is wrong."""

    exit_code = 2


class SettingsError(UsageError):
    """A settings file is not valid; nothing in it was touched."""


class TranscriptError(MemoriaError):
    """A transcript that cannot be read: it is gone, no regular file, or reading it failed."""


class VaultError(MemoriaError):
    """The vault, or this machine's state of it, cannot be read or written."""

    exit_code = 3


class NoVault(VaultError):
    """No vault where one was looked for; `memoria init` makes one."""


class ModelError(MemoriaError):
    """The model gave no answer that can be used; the work is kept.

    `later` marks those that waiting mends: their job stays in the spool and is tried again without
    limit. `reply` is a Reply (llm/port.py) that was paid for all the same, None for none.
    """

    exit_code = 4
    later = False
    reply: object = None


class _RetryLaterError(ModelError):
    later = True


class NotLoggedIn(_RetryLaterError):
    """No credentials, or the service refused them (401, 403): a login mends it."""


class OutOfCredit(_RetryLaterError):
    """The account behind the credentials has no credit left."""


class RateLimited(_RetryLaterError):
    """The service asked for fewer requests (HTTP 429)."""


class Overloaded(_RetryLaterError):
    """The service failed on its own side (HTTP 5xx, 529)."""


class Unreachable(_RetryLaterError):
    """No connection, a time-out or a stream that broke off."""


class OverBudget(_RetryLaterError):
    """Memoria's own limit on model calls per hour is reached: a guard against recursion."""


class Refused(ModelError):
    """The model declined: the same again will not help."""


class Truncated(ModelError):
    """The answer stopped at the token limit: a smaller request may help."""


class BadReply(ModelError):
    """The answer is not of the shape that was asked for."""
