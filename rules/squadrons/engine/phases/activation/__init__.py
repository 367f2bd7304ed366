"""Phases E and F: which squadron acts next, and how its lines are carried out (SQ-03, SQ-09)."""
