"""Movement until fleets meet, and the battles (CA-4 to CA-8)."""
