"""Make, install, update and remove a vault's set-up.

start init demo               make a vault, and fill it
install uninstall update      the hooks in the client's settings; the files of a vault
state_folder unregistered     where its state lies; a vault that this machine does not know
"""
