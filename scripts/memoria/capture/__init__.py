"""A session comes in: spool, digest, extract, provenance, and the service that writes its entry.

service       captures what is new in a transcript (parts); day_logs words it for its day
spool         jobs that hooks left; coverage says which sessions are captured, and what is lost
digest        the record that a model reads; flush_request asks it and looks up what it cites
extract       what plain code finds in a part; subjects say what a talk came to (conclusions)
provenance    who had the words of a line first, and what of it may be told again
recurring_errors    counts mistakes for every page; study_units for experiments
"""

EFFECTS = frozenset({"coverage", "spool"})
