"""Make, install, update and remove a vault's set-up."""
