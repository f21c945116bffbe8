"""Bring in what was before the vault.

sessions                     the sessions that the client still has
buildlog buildlog_texts      entries and decisions of a buildlog
"""
