"""Answer PostToolUseFailure with what the same error went away after before."""

import run  # type: ignore[import-not-found] # it lies beside this program

run.main("PostToolUseFailure")
