"""The server of the Model Context Protocol and its tools."""
