"""Attacks: rams, rakes, anastrophes, grapples, missiles, boarding, and the damage they do (SQ-11 to SQ-20)."""
