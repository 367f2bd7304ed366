"""The sea and what is on it: maps, ports, galleys, routes and sight (CA-1, CA-12)."""
