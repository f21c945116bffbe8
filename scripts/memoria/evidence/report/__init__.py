"""The report's data, and how it is shown as HTML, Markdown, JSON and text.

report_data puts a ReportData together from studies, rule_records, repeated_errors and model_costs.
sections lays it out (study_tables, pictures drawn by chart, words for numbers); render fills the
templates of HTML and Markdown, text is for the terminal, json_values and session_rows are data.
"""

EFFECTS = frozenset({"render"})
