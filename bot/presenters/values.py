"""What jobs make of games, as values to be shown: pictures, options, advice, filled-in forms."""

from __future__ import annotations

from bot.jobs.drafts import Hint, HintRef, SubmittedForm, answer_mark
from bot.jobs.practice import PUPIL_SEAT
from bot.jobs.showing import DescribedPicture, PanelContent, PanelOptions, PictureStyle, StillSettings
from bot.jobs.workers import IsWanted

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
