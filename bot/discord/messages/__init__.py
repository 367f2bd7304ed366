"""Layout of the messages that Discord shows."""
