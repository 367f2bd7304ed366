"""Run one bot process: its schedule, its heartbeat and its share of the work."""
