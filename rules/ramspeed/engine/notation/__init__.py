"""Orders, doctrines, positions and scenarios as text."""
