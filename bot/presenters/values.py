"""Results of jobs, re-exported for presenters: pictures, options, hints, filled-in forms."""

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
