"""Bring in what was before the vault: `sessions` that clients still have, and a `buildlog`."""
