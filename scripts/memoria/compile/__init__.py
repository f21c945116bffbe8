"""Turn entries into articles, and what is known into HOME.md and a page per project.

service       compiles days: asks an engine (propose), checks (patch, form), writes (apply)
topics        the Offline engine: points are lines worth a page, subjects name sessions, shelf reads
              topics off the articles, grow places lines and begins topics, write makes the change;
              replaced finds what a later line replaces, connections what two topics share
overview      overview_service derives HOME.md and each project_page after every change
"""

EFFECTS = frozenset({"propose"})
