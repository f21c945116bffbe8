"""The pure middle of the program: values in, values out.

The types are pure values: where a thing is stored and under which key is a matter of the edges. A
stage has no effects: no clock, file, environment or global randomness; `now` and `rng` are
arguments. ORDER is the pipeline: a stage imports only those before it.
"""

ORDER = (
    "secret",
    "project",
    "transcript",
    "utterance",
    "sentence",
    "mistake",
    "entry",
    "statement",
    "extract",
    "digest",
    "daily",
    "schema",
    "article",
    "rule",
    "patch",
    "topic",
    "catalog",
    "request",
    "ledger",
    "injection",
)
