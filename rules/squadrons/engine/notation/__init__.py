"""Orders and doctrines: their structs, how they are written, typed and put into words (SQ-24.2)."""
