"""Rowing until fleets meet, and what comes of it (CA parts 4 to 8)."""
