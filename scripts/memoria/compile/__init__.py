"""Turn entries into articles, and what is known into HOME.md and a page per project.

service       compiles days: asks an engine (propose), checks (patch, form), writes (apply);
              neighbours chooses what a model is shown by its nearness, amend takes out the lines
              that a newer entry overrules, declined shows a model what was refused,
              outcome says what was done
topics        the Offline engine: it places lines and begins topics; points are lines, what each
              is worth and which of them a page tells, subjects name sessions, shelf reads topics
              off the articles and finds what a later line replaces, write makes the change
overview      overview_service derives HOME.md and each project_page after every change
"""

EFFECTS = frozenset({"propose"})
