"""Capture at PreCompact what was said so far; what is printed would reach the summary."""

import run  # type: ignore[import-not-found] # it lies beside this program

run.main("PreCompact")
