"""Movement until fleets meet, and the battles (CA parts 4 to 8)."""
