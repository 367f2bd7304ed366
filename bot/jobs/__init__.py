"""The jobs of the workers: pure functions from stored text to stored text, pictures and choices."""
