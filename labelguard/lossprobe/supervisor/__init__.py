"""The process that runs the loss, how it is started, and the messages to and from it."""
