"""The report's data, and how it is shown as Markdown, JSON and text.

report_data puts a ReportData together from studies, rule_table, repeated_errors and model_costs.
sections lays it out (study_tables, words for numbers) and markdown writes it; text is an
experiment's report for the terminal, json_values what `--json` prints.
"""
