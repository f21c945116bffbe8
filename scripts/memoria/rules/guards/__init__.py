"""Checks of rules over tool calls: language, judgement, switches."""
