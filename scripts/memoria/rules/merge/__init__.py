"""Which wordings say the same: groups, pairs, vetoes and the words they rest on."""
