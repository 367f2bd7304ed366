"""Queue messages in a transaction and send them after it."""
