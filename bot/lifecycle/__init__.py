"""Let games proceed by themselves: steps, seats, agreements, reminders and messages."""
