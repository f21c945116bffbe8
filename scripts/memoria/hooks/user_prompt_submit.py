"""Answer UserPromptSubmit with what of earlier sessions bears on the prompt."""

import run  # type: ignore[import-not-found] # it lies beside this program

run.main("UserPromptSubmit")
