"""Entries become articles: patch, apply, propose; the offline topics."""
