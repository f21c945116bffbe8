"""Capture a session at its end, or at Stop, after a turn of agents that may tell no end."""

import run  # type: ignore[import-not-found] # it lies beside this program

run.main("SessionEnd")
