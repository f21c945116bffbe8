"""What Memoria writes and prints for fixed sessions, recorded so that two versions can be compared.

run.py       the verbs, hooks and MCP calls that are recorded, and the comparison
room.py      a home, a clock and a vault in which they run
sessions.py  sessions invented from a seed, beside the shipped samples
steps.py     the words in which they are told
frozen/      the clock and the randomness of a process that runs here
"""
