"""Parse, store and apply a player's settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.services.base import GameService
from bot.store.models.pace import CLOCK_PATTERN, moment_of
from bot.store.models.records import Game, Player
from bot.store.models.subjects import LogEntrySubject
from bot.store.queries.transaction import Transaction
from bot.texts import zones
from bot.texts.i18n import language_for_locale
from bot.texts.whole import playable_systems

MAX_STANDING_ORDERS_CHARS: Final = 200
DISCORD_LANGUAGE: Final = "discord"
"""Stands for the language of the user's Discord client."""
REMINDER_HABITS: Final = ("both", "last", "none")
MAX_ABSENCE: Final = timedelta(days=366)
ABSENCE_UPDATE_WINDOW_S: Final = 3600
"""Within this many seconds, a captain's new absence replaces the last log entry about it."""
_ABSENCE_ACTS: Final = ("away", "at_hand")
_NONE_WORDS: Final = ("no", "none", "off", "-", "–", "nem", "nincs", "semmi")
# Year, month, day, as in 2026-12-24 or 2026. 12. 24.
_DATE_PATTERN: Final = re.compile(r"\b([0-9]{4})\s?[-./]\s?([0-9]{1,2})\s?[-./]\s?([0-9]{1,2})\b\.?")
_DAY_WORDS: Final = {"today": 0, "ma": 0, "tomorrow": 1, "holnap": 1}
_SEPARATOR_PATTERN: Final = re.compile(
    r"[\s\-–—,.;]|\b(?:from|to|till|until|between|and|és|tól|től|ig|eddig)\b", re.IGNORECASE
)


def means_none(text: str) -> bool:
    return text.strip().casefold() in _NONE_WORDS


def parse_quiet_hours(text: str) -> tuple[int, int]:
    """Parse quiet hours such as `22:00-07:00` or `22-7` to minutes of the day. Raises `Refusal`."""
    ends = re.split(r"\s*(?:[-–—]|\bto\b|\s)\s*", text.strip())
    minutes = [_parse_minute(end) for end in ends if end]
    if len(minutes) != 2 or None in minutes or minutes[0] == minutes[1]:
        raise Refusal("quiet", piece=text)
    begin, end = minutes
    return begin or 0, end or 0


def _parse_minute(text: str) -> int | None:
    # "22" or "22:30" to a minute of the day.
    match = CLOCK_PATTERN.fullmatch(text if ":" in text or "." in text else f"{text}:00")
    return int(match[1]) * 60 + int(match[2]) if match else None


def parse_absence(text: str, now: int, zone: str) -> tuple[int, int]:
    """Parse `2026-12-24 – 2027-01-02`, or the last day alone, to begin and end in Unix seconds.

    The first day counts from its beginning and the last to its end. Raises `Refusal`.
    """
    time_zone = zones.time_zone(zone)
    today = datetime.fromtimestamp(now, time_zone).date()
    unread_text = text.casefold()
    days: list[date] = []
    for match in re.finditer(rf"{_DATE_PATTERN.pattern}|\b(?:{'|'.join(_DAY_WORDS)})\b", text.casefold()):
        days.append(_parse_day(match, today, text))
        unread_text = unread_text.replace(match[0], " ", 1)
    if _SEPARATOR_PATTERN.sub("", unread_text) or len(days) not in (1, 2):
        raise Refusal("away", piece=text)
    first_day, last_day = (today, days[0]) if len(days) == 1 else days
    if not today <= last_day <= today + MAX_ABSENCE or first_day > last_day:
        raise Refusal("away_when", piece=text)
    begin = now if first_day <= today else moment_of(first_day, 0, time_zone)
    end = moment_of(last_day + timedelta(days=1), 0, time_zone)
    return begin, end


def _parse_day(match: re.Match[str], today: date, text: str) -> date:
    if match[0] in _DAY_WORDS:
        return today + timedelta(days=_DAY_WORDS[match[0]])
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise Refusal("away", piece=text) from None


def read_settings(player: Player | None, settings: Mapping[str, str], now: int) -> dict[str, Any]:
    """Return the columns of a player that typed settings change, by name of the setting. Raises `Refusal`."""
    changes: dict[str, Any] = {}
    for name in ("zone", "quiet", "language", "reminders", "away"):
        text = settings.get(name)
        if text is None:
            continue
        match name:
            case "zone":
                changes["zone"] = None if means_none(text) else zones.find_zone(text)
            case "quiet":
                hours = (None, None) if means_none(text) else parse_quiet_hours(text)
                changes["quiet_from"], changes["quiet_to"] = hours
            case "language":
                changes["chosen_locale"] = None if text == DISCORD_LANGUAGE else language_for_locale(text)
            case "reminders":
                if text not in REMINDER_HABITS:
                    raise Refusal("option", option="reminders", value=text[:40], allowed=", ".join(REMINDER_HABITS))
                changes["reminders"] = text
            case "away":
                zone = changes.get("zone") or zone_of(player)
                absence = (None, None) if means_none(text) else parse_absence(text, now, zone)
                changes["away_from"], changes["away_to"] = absence
    return changes


def merge_standing_orders(player: Player | None, system: str, text: str) -> dict[str, str]:
    """Return all default standing orders, with those of one game changed. Raises `Refusal`."""
    if len(text) > MAX_STANDING_ORDERS_CHARS:
        raise Refusal("too_long", most=MAX_STANDING_ORDERS_CHARS)
    if system not in playable_systems():
        raise Refusal("option", option="system", value=system[:40], allowed=", ".join(playable_systems()))
    orders = dict(player.standing) if player else {}
    orders.pop(system, None)
    if not means_none(text):
        orders[system] = text.strip()
    return orders


class PreferenceService(GameService):
    async def change_preferences(self, player: Player, **columns: Any) -> Player:  # noqa: ANN401 - columns of `players`
        """Store settings and return the player; update reminders, absences and panels.

        Without columns, only the player's name and language are updated.
        """
        async with self._store.write(of_many=True) as tx:
            player_before = (await tx.players.find_all([player.user_id])).get(player.user_id, player)
            await tx.players.remember(player)
            if columns:
                await tx.players.change(player.user_id, **columns)
            current = (await tx.players.find_all([player.user_id]))[player.user_id]
            now = self.now()
            has_new_language = language_for_locale(player_before.language) != language_for_locale(current.language)
            requests = await tx.requests.open_of_user(player.user_id) if columns or has_new_language else []
            if has_new_language:
                await enqueue.redraw_panels(tx, requests, now=now)
            if columns:
                await reminders.schedule_reminders(tx, requests, now=now)
                if (player_before.away_from, player_before.away_to) != (current.away_from, current.away_to):
                    await _announce_absence(tx, player_before, current, now=now)
        self._note_change()
        return current


async def _announce_absence(tx: Transaction, before: Player, player: Player, *, now: int) -> None:
    """Show in all of a player's games that they are away, or back. `before`: the player before the change."""
    was_away = before.away_to is not None and before.away_to > now
    for game in await tx.games.of_user(player.user_id):
        if game.phase == "lobby":
            if game.is_lobby:
                await enqueue.update_lobby(tx, game.id, now=now)
            continue
        if player.away_from is not None and player.away_to is not None:
            await _add_or_replace_absence(
                tx, game, player, "away", now=now, since=player.away_from, until=player.away_to
            )
        elif was_away:
            await _add_or_replace_absence(tx, game, player, "at_hand", now=now)
        await enqueue.update_seals(tx, await tx.requests.open_of_game(game.id), now=now)


async def _add_or_replace_absence(
    tx: Transaction, game: Game, player: Player, kind: str, *, now: int, **params: int
) -> None:
    """Log whether a captain is away; replace the last entry about it if that is recent."""
    entries = [
        entry
        for entry in await tx.audit_log.of_game(game.id)
        if entry.kind in _ABSENCE_ACTS and entry.user_id == player.user_id
    ]
    if not entries or entries[-1].at <= now - ABSENCE_UPDATE_WINDOW_S:
        await enqueue.add_log_entry(tx, game, kind, now=now, user_id=player.user_id, **params)
        return
    await tx.audit_log.replace_entry(entries[-1].id, kind, params)
    await tx.messages.renew_keys(game.id, [LogEntrySubject(entries[-1].id).key], now=now)


def zone_of(player: Player | None) -> str:
    return (player and player.zone) or zones.UTC
