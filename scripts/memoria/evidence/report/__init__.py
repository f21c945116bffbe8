"""The report's data, and how it is shown as Markdown, JSON and text.

report_data puts a ReportData together from studies, rules, model_costs and the backtest.
markdown lays it out with tables and writes it; text is an experiment's report for the terminal,
json_values what `--json` prints.
"""
