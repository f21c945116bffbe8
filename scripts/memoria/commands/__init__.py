"""The verbs, one a file: read through an edge, think in stages, write through an edge."""
