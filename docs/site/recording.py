"""Record what the program prints as docs/recording.svg, the picture of the README.

Makes a vault of the sample sessions in a home of its own, installs the hooks there, and calls two
of them as Claude Code does. Every line below a prompt is what the program printed; only the home
folder and the random name of the frame are replaced.

    python docs/site/recording.py
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from memoria.cli.setup.sample_sessions import read_sample_sessions, write_sessions

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "recording.svg"
WIDTH = 96  # columns; what a README shows without shrinking the letters
PROJECT = "/home/robin/code/shop-api"  # of the sample sessions
FAILURE = {
    "tool_name": "Bash",
    "tool_input": {"command": "mypy app"},
    "tool_use_id": "toolu_01",
    "error": (
        'Exit code 1\napp/webhooks/replay.py:31: error: Argument 1 to "park" of "InboxEvent" has '
        'incompatible type "str"; expected "Reason"  [arg-type]'
    ),
}


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(recorded()), encoding="utf-8")


def recorded() -> str:
    """Run the commands and the hooks; give what a terminal would show."""
    # the sweep that a session's start sets off may still write there when all is drawn
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder).resolve()
        # where the client keeps them: in any other folder they would be nobody's words
        write_sessions(home / ".claude" / "projects", read_sample_sessions())
        vault = ("--vault", str(home / "memoria"))
        made = memoria(home, "start", *vault)
        memoria(home, "install", *vault)
        failed = hook(home, "PostToolUseFailure", **FAILURE)
        started = hook(home, "SessionStart", source="startup")
    shown = (
        "$ memoria start      # here on the sample sessions",
        made.split("\n\n")[0],
        "",
        "# Later `mypy app` fails in the same way. Claude Code is told at once:",
        failed,
        "",
        "# Each new session of the project is told the rules (and its latest work):",
        rules(started),
    )
    return re.sub(r"memoria-[0-9a-f]{16}", "memoria", "\n".join(shown).replace(str(home), "~"))


def rules(told: str) -> str:
    """Give the part of a session's start that holds the rules."""
    return next(part for part in told.split("\n\n") if part.startswith("## Standing rules"))


def memoria(home: Path, *arguments: str) -> str:
    """Run a verb; give what it printed."""
    command = [sys.executable, "-m", "memoria", *arguments]
    # the program is on the PATH, as for anybody who installed it: else it names itself by its place
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {"PYTHONPATH": str(ROOT / "scripts"), "PATH": path}
    return run(command, home, environment)


def hook(home: Path, event: str, **given: Any) -> str:  # noqa: ANN401 - fields of the event
    """Call an installed hook as Claude Code does; give what the session is told."""
    settings = json.loads((home / ".claude" / "settings.json").read_text("utf-8"))
    line = settings["hooks"][event][0]["hooks"][0]
    session = {"session_id": "5e5510a0-0000-4000-8000-000000000001", "cwd": PROJECT}
    asked = json.dumps({"hook_event_name": event, "transcript_path": "", **session, **given})
    said = run(["/bin/sh", "-c", line["command"]], home, {"PATH": os.environ["PATH"]}, asked)
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"])


def run(command: list[str], home: Path, environment: dict[str, str], given: str = "") -> str:
    """Run a program in a home of its own; give its standard output."""
    own = environment | {"HOME": str(home), "TZ": "UTC", "COLUMNS": str(WIDTH)}
    done = subprocess.run(
        command, input=given, env=own, cwd=home, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def picture(shown: str) -> str:
    """Draw the text as a terminal, as SVG without a font or a link to anywhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for line in shown.split("\n"):
        console.print(Text(line, style=style(line)))
    drawn = console.export_svg(title="memoria", theme=MONOKAI, unique_id="memoria")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def style(line: str) -> str:
    """Say how a line is set apart: what is typed, what explains, the error, and its fix."""
    marks = {"$": "bold", "# ": "bold cyan", "- 4 of 13 sessions": "bold red"}
    marks |= {"- 2026-": "bold green"}
    return next((form for start, form in marks.items() if line.startswith(start)), "")


if __name__ == "__main__":
    main()
