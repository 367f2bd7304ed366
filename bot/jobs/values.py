"""Values that jobs take and return, which presenters and Discord lay out."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple

from msgspec import Struct

import render
from bot.errors import Refusal
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE
from rules.core.protocol import Choices
from rules.core.reports import BattleForecast
from rules.core.view import Text
from rules.interface.outcomes import ShipHolder

PLAN_WIDTH_RATIO: Final = 0.8
"""Width of plans relative to other pictures. A plan is drawn at each press, and phones show no more detail."""
HINT_SEED_DIGITS: Final = 32
"""Hexadecimal digits of a hint's seed. A button's custom id has room for them besides game and request."""


class StillSettings(Struct, frozen=True, kw_only=True):
    format: render.StillFormat = "png"  # file format of still pictures
    width_px: int = render.STILL_WIDTH

    @property
    def plan_width(self) -> int:
        return max(render.MIN_WIDTH, round(PLAN_WIDTH_RATIO * self.width_px))


class PictureStyle(Struct, frozen=True, kw_only=True):
    system: str  # key of the game
    language: str  # code such as "en"
    names: dict[int, str]  # captains' names by seat
    caption: Text | None = None  # caption below the picture; None: the view's phase
    stills: StillSettings = StillSettings()  # format and width of still pictures
    viewpoint_seat: int | None = None  # seat from whose side pictures are seen; None: the usual side

    @property
    def localizer(self) -> Localizer:
        return Localizer(Catalogue.load(self.language, self.system), self.names)

    @property
    def plain_localizer(self) -> Localizer:
        """The language of descriptions and captions, with captains' names as pictures show them."""
        names = {seat: render.legible_text(name) for seat, name in self.names.items()}
        return replace(self.localizer, style=PLAIN_STYLE, names=names)


class DescribedPicture(Struct, frozen=True, kw_only=True):
    data: bytes  # the image file
    format: str  # such as "png" or "webp"
    alt_text: str  # description for screen readers
    is_reduced: bool = False  # whether it was made smaller to fit into a message


class PanelOptions(Struct, frozen=True, kw_only=True):
    choices: Choices  # what the captain may press or type next
    warnings: tuple[Text, ...] = ()  # what the captain should know before sealing the draft
    ship_holders: tuple[ShipHolder, ...] = ()  # who commands each ship
    score: Text | None = None  # None: the game keeps none
    goal: Text | None = None  # the captain's goal, if it differs from the usual one
    nearest_enemy: tuple[str, Text] | None = None  # the captain's ship with the nearest enemy, and a text about it
    forecast: BattleForecast = BattleForecast()  # what a battle means so far for its parent game; empty: no battle


class PanelContent(PanelOptions, frozen=True, kw_only=True):
    picture: DescribedPicture  # the captain's plan


class HintRef(NamedTuple):
    """The values with which a hint can be computed again."""

    seed: str  # hex; decides between equal answers
    stopped_after: int | None = None  # checks after which thinking was stopped; None: it finished
    answer_mark: str = ""  # the `answer_mark` of the hint that was shown; empty unless the hint is to be taken

    @property
    def token(self) -> str:
        token = self.seed if self.stopped_after is None else f"{self.seed}.{self.stopped_after}"
        return f"{token}-{self.answer_mark}" if self.answer_mark else token

    @classmethod
    def read(cls, token: str) -> HintRef:
        # The form is seed[.stopped_after][-answer_mark], such as "0f….37-1a2b3c4d".
        match = re.fullmatch(rf"([0-9a-f]{{{HINT_SEED_DIGITS}}})(?:\.([0-9]{{1,6}}))?(?:-([0-9a-f]{{8}}))?", token)
        if not match:
            raise Refusal("stale")
        return cls(match[1], None if match[2] is None else int(match[2]), match[3] or "")


def answer_mark(answer: str) -> str:
    """Return a short hash (8 hex digits) of a hint's answer, to detect that a recomputed hint differs."""
    return sha256(answer.encode()).hexdigest()[:8]


class SubmittedForm(NamedTuple):
    form: str  # token of the form
    line_tokens: tuple[str, ...]  # token of the entry selected in each field


class Hint(Struct, frozen=True, kw_only=True):
    answer: str  # the advised answer as a player would type it
    lines: tuple[Text, ...]  # the answer in words
    reason: Text  # why this answer is advised
    odds: tuple[Text, ...] = ()  # odds of success; empty also if there was no time to compute them
    stopped_after: int | None = None
    """The number of checks after which thinking was stopped for lack of time; None: it finished."""
