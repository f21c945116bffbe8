"""The table of the verbs; `verb` reads it. A verb's own module is imported when it is called."""
