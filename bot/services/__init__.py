"""What people may do: every door into a game, and who may pass it. Chat calls `table` alone."""
