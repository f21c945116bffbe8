"""The report's data, and how it is shown as HTML, Markdown, JSON and text.

report_data puts a ReportData together from study_section (an experiment), rule_records,
repeated_errors, captured_sessions and model_costs; each has the figures it is pictured by. render
fills the templates (HTML, Markdown), json_values gives plain data, session_rows the
export's rows.
"""

EFFECTS = frozenset({"render"})
