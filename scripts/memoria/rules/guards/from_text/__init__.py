"""The check that a rule's sentence asks for."""
