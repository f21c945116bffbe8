"""What the user demanded (statements), chose (user_choices) and objected to (corrections).

A statement is a clause (clauses) weighed by its features (clause_features, clause_cues) and put as
a rule (rule_text); a correction is counted by its gist (gists), a request shown as an ask (asks).
"""
