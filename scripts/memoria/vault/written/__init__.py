"""Entries that a person writes: sections, insights, categories, template."""
