"""Answer PreToolUse where a call breaks a guard that is on; the client waits for it."""

import run  # type: ignore[import-not-found] # it lies beside this program

run.main("PreToolUse")
