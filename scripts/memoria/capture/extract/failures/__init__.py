"""What failed in a tool call, of which kind, and which line says so."""
