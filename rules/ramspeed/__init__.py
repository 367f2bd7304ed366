"""Biremes … Oh My!: fleets of oared warships on a free table in inches."""

from rules.ramspeed.game import RamSpeed

GAME = RamSpeed()
