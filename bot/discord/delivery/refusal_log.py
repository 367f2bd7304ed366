"""Counting and logging of Discord's refusals."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from bot import logs
from bot.discord.delivery import refusals
from bot.discord.delivery.refusals import DiscordRefusal, RefusalKind

log = logging.getLogger(__name__)

APPEAL_URL: Final = "https://dis.gd/app-quarantine"
"""The page to which Discord refers the owner of a quarantined bot."""
DAY_S: Final = 86_400


class RefusalLog:
    """Classifies errors of requests, counts each refusal, and logs each code once per game and UTC day.

    Each error must be parsed here only once, by the code that handles it.
    """

    def __init__(self, count: Callable[[DiscordRefusal], None], now: Callable[[], int]) -> None:
        self._count = count
        self._now = now
        self._day = 0
        self._logged: set[tuple[object, RefusalKind, int]] = set()  # games, kinds and codes that were logged today

    def parse_refusal(self, error: BaseException) -> DiscordRefusal:
        refusal = refusals.parse_refusal(error)
        self._count(refusal)
        if refusal.status:  # without a response, `OutageMonitor` logs it
            self._log_refusal(refusal)
        return refusal

    def _log_refusal(self, refusal: DiscordRefusal) -> None:
        """Log a refusal once a day for each game, kind and code."""
        if self._now() // DAY_S != self._day:
            self._day = self._now() // DAY_S
            self._logged.clear()
        quarantined = refusal.kind is RefusalKind.QUARANTINED
        game = None if quarantined else logs.current_value("game")
        key = (game, refusal.kind, refusal.code or refusal.status)
        if key in self._logged:
            return
        self._logged.add(key)
        values = {"code": refusal.code, "status": refusal.status, "meaning": refusal.kind.value}
        if quarantined:
            log.error("Discord takes the bot for spam: no new direct messages", extra={**values, "appeal": APPEAL_URL})
        else:
            log.warning("Discord refused", extra={**values, "why": str(refusal)})
