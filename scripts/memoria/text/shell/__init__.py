"""Read a shell call: its simple commands, what runs them, what each does."""
