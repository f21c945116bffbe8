"""What plain code finds in a session: work, mistakes, fixes, findings, the entry's lines.

observed           reads a part once, by `observing`; all others read what it gives
session_extract    makes the extract: sentences (candidates) are described (features), weighed
                   (weights), chosen (selection), worded (entry_draft) and named (entry_title, by
                   title_parts of title_clauses); `user` says what the user laid down and chose
mistakes           finds failed calls (`failures`) and corrections (`user`) by their signatures
session_context    says where a session takes place; extract_record keeps an extract as JSON
"""
