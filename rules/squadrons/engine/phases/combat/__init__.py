"""Attacks: rams, rakes, anastrophes, grapples, missiles, boarding, and the damage they do (SQ-12 to SQ-20)."""
