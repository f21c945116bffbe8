"""Answer SessionStart with the project's rules and latest knowledge."""

import run  # type: ignore[import-not-found] # it lies beside this program

run.main("SessionStart")
