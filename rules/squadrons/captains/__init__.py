"""The computer's captains: what a good one does with a fleet (SQ, part of issue 18)."""
