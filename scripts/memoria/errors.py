"""Define every error that a person can meet, by whose fault it is, with its exit code.

    MemoriaError                     exit 1   part of the work failed
    ├── UsageError                   exit 2   the person's words: an unknown engine, a bad date
    │   └── SettingsError            exit 2   an unreadable settings file; it stays untouched
    ├── TranscriptError              exit 1   a transcript cannot be read: gone, a link, a device
    ├── VaultError                   exit 3   the vault or its state cannot be used
    │   └── NoVault                  exit 3   there is none where one was looked for
    └── ModelError                   exit 4   no usable answer from the model; the work is kept
        ├── NotLoggedIn                       no key, no login, or refused with 401 / 403
        ├── OutOfCredit                       the account has no money left
        ├── RateLimited                       429: later
        ├── Overloaded                        529 and other 5xx: later
        ├── Unreachable                       no connection, time-out, broken stream: later
        ├── OverBudget                        our own governor on calls per hour said no: later
        ├── Refused                           the model declined: the same again will not help
        ├── Truncated                         the answer was cut: a smaller request may help
        └── BadReply                          no structured output, or not of the shape asked for

Each carries one line that says what to do. They are caught once, in cli/main.py. `later` marks the
errors that waiting mends: a job that met one stays in the spool and is tried again without limit.
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
    """The model gave no answer that can be used; `later` says whether waiting mends it.

    `reply` is a Reply (llm/requests.py) that was paid for all the same, None where none was.
    """

    exit_code = 4
    later = False
    reply: object = None


class NotLoggedIn(ModelError):
    """No credentials, or the service refused them: a login mends it, so the job waits."""

    later = True


class OutOfCredit(ModelError):
    """The account behind the credentials has no credit left."""

    later = True


class RateLimited(ModelError):
    """The service asked for fewer requests (HTTP 429)."""

    later = True


class Overloaded(ModelError):
    """The service failed on its own side (HTTP 5xx, 529)."""

    later = True


class Unreachable(ModelError):
    """No connection, a time-out or a stream that broke off."""

    later = True


class OverBudget(ModelError):
    """Memoria's own limit on model calls per hour is reached: a guard against recursion."""

    later = True


class Refused(ModelError):
    """The model declined to answer."""


class Truncated(ModelError):
    """The answer stopped at the token limit."""


class BadReply(ModelError):
    """The answer is not of the shape that was asked for."""
