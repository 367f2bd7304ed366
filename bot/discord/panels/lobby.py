"""The message of a lobby: what is agreed, who sits where, and how one joins."""

from __future__ import annotations

from discord import ButtonStyle
from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.panels import notices, times
from bot.discord.panels import words as dice_words
from bot.discord.panels.board import Block, Button, Shown, lay_out
from bot.discord.panels.choosing import labels
from bot.doors import lobby as rooms
from bot.doors.table import Table
from bot.life.playing import Playing
from bot.store.publications import Hash
from bot.store.records import Message, SeatRow
from bot.words.i18n import Said, Words


async def lobby(table: Table, message: Message, playing: Playing, words: Words) -> Shown:
    """The lobby as it is; with buttons until the game begins."""
    game = playing.game
    title = "## " + words.say("lobby.title", name=game.name, number=game.id)
    settings = words.say(
        "lobby.settings",
        system=words.say("game"),
        settings=Said(" · ".join(_options(words, playing))),
        pace=times.rhythm_for_all(words, game.pace, table.now()),
    )
    teams: list[str] = [_team(words, playing, team) for team in sorted({seat.team for seat in playing.seats})]
    if game.phase == "lobby":
        teams += notices.absences(words, playing, [seat.seat for seat in playing.seats], table.now())
    time = [words.say("lobby.extensions", n=game.extensions)] if game.extensions else []
    time += [] if game.early else [words.say("lobby.patient")]
    friendly = not game.rated or any(seat.computer for seat in playing.seats)
    time += [words.say("lobby.unrated")] if friendly else []
    blocks: list[Block] = ["\n".join([title, settings, *time]), "\n".join(teams), "\n".join(_dice(words, playing))]
    if game.phase == "cancelled":
        blocks.append(words.say("lobby.cancelled"))
    elif game.phase != "lobby":
        thread = f"<#{game.thread_id}>" if game.thread_id else "…"
        blocks.append(words.say("lobby.started", thread=Said(thread)))
    else:
        blocks.append(words.say("lobby.hint") + (f"\n{words.say('lobby.private')}" if game.private else ""))
        blocks.append(_buttons(words, playing))
    return structs.replace(lay_out(blocks, mark=message.id), hashes=(Hash(what="seed", hash=game.seed_hash),))


def _dice(words: Words, playing: Playing) -> list[Said]:
    """The fingerprint of the dice, and what captains have added to them."""
    lines = [words.say("dice.fingerprint", hash=playing.game.seed_hash)]
    if said := dice_words.listed(words, playing):
        lines.append(words.say("dice.words", words=said))
    if playing.game.phase == "lobby":
        lines.append(words.say("dice.hint"))
        if waiting := rooms.unagreed(playing):
            lines.append(words.say("dice.unagreed", who=[seat.seat for seat in waiting]))
    return lines


def _options(words: Words, playing: Playing) -> list[str]:
    setup = playing.game.setup
    texts = [
        f"{words.say(f'option.{key}')}: {words.say(f'option.{key}.{value}')}" for key, value in setup.options.items()
    ]
    return [*texts, words.say("lobby.missed", missed=setup.missed)]


def _team(words: Words, playing: Playing, team: int) -> Said:
    members = [_member(words, seat) for seat in playing.seats if seat.team == team]
    return words.say("lobby.team", team=str(team), members=Said(", ".join(members)))


def _member(words: Words, seat: SeatRow) -> str:
    if seat.computer:
        return words.say("lobby.computer")
    if seat.user_id:
        return f"<@{seat.user_id}>"
    if seat.name is not None:
        return words.say("lobby.named", who=seat.name)
    if seat.kept_for:
        return words.say("lobby.kept", who=Said(f"<@{seat.kept_for}>"))
    return words.count("unit.free_seat", 1)


def _buttons(words: Words, playing: Playing) -> list[Button]:
    words = labels(words)
    game = playing.game
    free = [seat for seat in playing.seats if seat.free]
    teams = sorted({seat.team for seat in free})
    several = len(playing.seats) > 2
    joins = [
        Button(
            label=words.say("button.join_team", team=str(team)) if several else words.say("button.join"),
            ref=Ref(verb="join", game=game.id, token=str(team)),
            style=ButtonStyle.primary,
        )
        for team in teams
    ]
    start = words.say("button.start_with_computer", n=len(free)) if free else words.say("button.start")
    return [
        *joins,
        Button(label=words.say("button.leave"), ref=Ref(verb="leave", game=game.id)),
        Button(
            label=words.say("button.add_word"), ref=Ref(verb="word", game=game.id, request=rooms.words_token(playing))
        ),
        Button(
            label=start,
            ref=Ref(verb="start", game=game.id, request=rooms.words_token(playing)),
            style=ButtonStyle.secondary if free else ButtonStyle.success,
        ),
    ]
