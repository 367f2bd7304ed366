"""The sea and what is on it: maps, ports, galleys, routes and sight (CA parts 1 and 12)."""
