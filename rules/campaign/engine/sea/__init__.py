"""The sea and what lies on it: maps, ports, galleys, ways, and who sees what (CA parts 1 and 12)."""
