"""Verbs by which a person looks at rules and decides about them.

status                   how the whole stands; what a start would be told, and what it leaves out
remember trust           teach and end rules; adopt what came from elsewhere
"""
