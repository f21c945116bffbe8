"""The short verbs on rules: reject, remember, status, supersede."""
