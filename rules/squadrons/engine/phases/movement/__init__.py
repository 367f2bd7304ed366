"""Movement of single galleys, and how they avoid each other (SQ-06, SQ-08, SQ-10)."""
