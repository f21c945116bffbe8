"""What rules are worth: by_rule over occasions, by chance; adherence, by the rules' checks."""
