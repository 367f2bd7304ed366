"""What is shown on Discord: each message, laid out from facts."""
