"""Find which wordings say the same rule: words, clauses, what a rule says, judgements, groups."""
