"""The bot in a simulated Discord: played in the browser (`session`), and the rules of the real one (`strict`)."""
