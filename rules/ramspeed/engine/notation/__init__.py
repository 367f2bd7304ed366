"""Orders, doctrines, positions and scenarios as text (RS parts 8 to 10)."""
