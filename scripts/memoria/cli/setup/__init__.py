"""Make, install, update and remove a vault's set-up.

start init                    make and register a vault, and fill it; bring its files up to date
install                       the hooks in the client's settings
other_agents                  the same for the agents beside Claude Code
unregistered                  a vault that this machine does not know
"""
