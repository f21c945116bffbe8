"""Strings in, strings out: Markdown, prose, words, shell commands, merging, dates."""
