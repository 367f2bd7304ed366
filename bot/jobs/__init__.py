"""Define the jobs of the workers. Jobs are pure functions from stored text to stored text, pictures and choices."""
