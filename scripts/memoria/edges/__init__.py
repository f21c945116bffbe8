"""The effects: files, processes, the client, the model. They decide nothing."""
