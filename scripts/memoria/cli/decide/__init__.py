"""Verbs by which a person looks at rules and decides about them.

status      the rules by category, and with `diff` those that wait
remember    teach a rule
close       reject, retire, supersede: end rules
trust       adopt what came from elsewhere
"""
