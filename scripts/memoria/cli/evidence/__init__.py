"""The verbs experiment, report, cost and reward."""
