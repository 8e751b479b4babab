"""The process that runs the loss, and the line to it."""
