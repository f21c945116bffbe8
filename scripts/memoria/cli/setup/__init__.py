"""Make, install, update and remove a vault's set-up.

start init                    make a vault, and fill it
install update                the hooks in the client's settings; the files of a vault
other_agents                  the same for the agents beside Claude Code
state_folder unregistered     where its state lies; a vault that this machine does not know
"""
