"""Phases G and H: the end of a turn, victory points and the end of the battle (SQ-21, SQ-22)."""
