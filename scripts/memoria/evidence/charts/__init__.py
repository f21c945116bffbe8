"""Charts as SVG: axis, plot (the drawing core), charts (their kinds), figures (with tables)."""
