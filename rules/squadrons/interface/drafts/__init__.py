"""Answers while captains write them: typing and pressing meet in one notation (SQ-24.2)."""
