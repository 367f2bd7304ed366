"""War-galley on Discord: commands, panels, the store, the outbox and the clock."""
