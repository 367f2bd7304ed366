"""How games go on by themselves: steps, seats, voices, reminders, and what Discord must be shown."""
