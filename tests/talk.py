"""Transcripts made by hand for tests: turns of a prompt and what followed it."""

from datetime import UTC, datetime
from itertools import count

from memoria.agents.claude_code import tools
from memoria.agents.transcript import Interrupt, Say, Steer, Transcript, Turn

AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
    "was a file edit, the new_string was NOT written to the file). To tell you how to proceed, "
    "the user said:\n"
)
_numbers = count()


def say(text):
    return Say(text, AT)


def steer(text):
    return Steer(text, AT)


def stop():
    return Interrupt(AT)


def call(name, result="", *, error=False, answered=True, **arguments):
    return tools.call(
        f"c{next(_numbers)}", name, tuple(arguments.items()), result, error, answered, AT
    )


def bash(command, result="", *, error=False):
    return call("Bash", result, error=error, command=command)


def edit(path, old="a", new="b", **more):
    return call("Edit", "updated", file_path=path, old_string=old, new_string=new, **more)


def refused(name, reason, **arguments):
    return call(name, REFUSED + reason, error=True, **arguments)


def commit(message, branch="lease", command=None):
    subject = message.split("\n")[0]
    command = command or f"git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\""
    return bash(command, f"[{branch} 1a2b3c4] {subject}\n 1 file changed")


def turn(prompt, *steps, branch="lease"):
    return Turn(f"u{next(_numbers)}", AT, AT, prompt, branch, steps)


def transcript(*turns, cwd="/home/ana/shop", title="", pull_requests=()):
    return Transcript("s-1", cwd, "2.1", title, turns, 0, 1, "", pull_requests)
