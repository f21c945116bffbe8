"""SessionStart in this clone: the hook of the package, for the clone as the vault."""

import clone  # type: ignore[import-not-found] # it lies beside this program

clone.main("SessionStart")
