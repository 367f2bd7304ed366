"""Dice, and the proof that nobody chose them."""
