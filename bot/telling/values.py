"""What jobs make of games, as values to be shown: pictures, options, advice, filled-in forms."""

from __future__ import annotations

from bot.work.drafts import Filled, Hint, HintRef, mark_of
from bot.work.practice import PUPIL
from bot.work.showing import Drawn, Look, Offer, Panel, Stills
from bot.work.workers import Wanted

__all__ = ["PUPIL", "Drawn", "Filled", "Hint", "HintRef", "Look", "Offer", "Panel", "Stills", "Wanted", "mark_of"]
