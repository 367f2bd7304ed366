"""The bot in a simulated Discord: in the browser (`session`), and by the rules of the real one (`strict`)."""
