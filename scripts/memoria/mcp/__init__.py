"""The server of the Model Context Protocol: 16 tools.

server       the vault as a service: tools, framing
protocol     the service in the protocol's words, threads for calls, the question to the person
tools        the table of the tools; checked arguments
handlers actions             what a call does: read; propose, track
framing      text made fit for a model
"""
