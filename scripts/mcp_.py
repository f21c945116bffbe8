"""`memoria mcp` from a clone: python scripts/mcp_.py [options].

Not mcp.py: a script's folder comes first on the path, so that would hide the mcp package.
"""

from run_verb import run_verb

run_verb("mcp")
