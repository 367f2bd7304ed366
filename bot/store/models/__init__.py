"""Define the tables and the values that their rows hold."""
