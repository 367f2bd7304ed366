"""Phases B to D: squadrons, initiative, speeds (SQ-03, SQ-05, SQ-07)."""
