"""What jobs make of games, as values to be shown: pictures, options, advice, filled-in forms."""

from __future__ import annotations

from bot.work.drafts import Hint, HintRef, SubmittedForm, answer_mark
from bot.work.practice import PUPIL_SEAT
from bot.work.showing import DescribedPicture, PanelContent, PanelOptions, PictureStyle, StillSettings
from bot.work.workers import IsWanted

__all__ = [
    "PUPIL_SEAT",
    "DescribedPicture",
    "Hint",
    "HintRef",
    "IsWanted",
    "PanelContent",
    "PanelOptions",
    "PictureStyle",
    "StillSettings",
    "SubmittedForm",
    "answer_mark",
]
