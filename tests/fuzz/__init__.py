"""Fuzzing: seeded nonsense through every door that takes what strangers write."""
