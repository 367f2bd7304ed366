"""The message of a lobby: what is agreed, who sits where, and how one joins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from discord import ButtonStyle
from msgspec import UNSET, structs

from bot.discord.ids import Ref
from bot.discord.messages import paging
from bot.discord.messages.board import OPTIONS_MOST, Block, Button, Pick, Select, Shown, lay_out
from bot.discord.messages.choosing import labels
from bot.discord.messages.pictures import Pictures, block, lacking
from bot.discord.messages.welcome import picks_of
from bot.doors import lobby as rooms
from bot.doors.options import refuse_unless_host
from bot.errors import Refusal
from bot.life.playing import Playing
from bot.store.publications import Hash
from bot.store.records import Game, Message
from bot.telling import lobby as telling
from bot.telling.cards import cards
from bot.telling.lobby import Lobby
from bot.telling.reader import Reader
from bot.telling.values import Drawn
from bot.telling.wording import words_of
from bot.words.i18n import Words
from bot.words.style import Said
from rules.errors import OrderError


async def lobby(reader: Reader, pictures: Pictures, facts: Lobby, message: Message, words: Words) -> Shown:
    """The lobby as all see it; until the game begins with buttons, and with its first options for its host."""
    refused = await reader.unplayable(facts)
    setup = facts.playing.game.setup
    if not facts.open or not _is_drawn(facts, refused):
        pictures.give_up(message)
        return _laid_out(words, facts, message, refused)
    look = reader.look(words)
    picture = await pictures.of(message, (setup.options, setup.scenario, look), partial(reader.chart, setup, words))
    return lacking(_laid_out(words, facts, message, refused, block(words, picture)), picture)


def _is_drawn(facts: Lobby, refused: OrderError | Refusal | None) -> bool:
    """Whether there is a chart to be drawn; of a host's own scenario only if a game can begin with it."""
    return facts.is_charted and (refused is None or facts.playing.game.setup.scenario is UNSET)


def _laid_out(
    words: Words, facts: Lobby, message: Message, refused: OrderError | Refusal | None, chart: Drawn | str = ""
) -> Shown:
    game = facts.playing.game
    if game.phase == "lobby":
        blocks, *_ = pages_of(words, facts, refused, chart)
    else:
        thread = f"<#{game.thread_id}>" if game.thread_id else "…"
        started = words.say("lobby.started", thread=Said(thread))
        over = words.say("lobby.cancelled") if game.phase == "cancelled" else started
        blocks = [*_head(words, facts), "\n".join(telling.dice(words, facts)), over]
    return structs.replace(
        lay_out(blocks, mark=message.mark, pings=facts.invited), hashes=(Hash(what="seed", hash=game.seed_hash),)
    )


async def as_it_is(reader: Reader, game_id: int, message_id: int) -> tuple[Playing, Shown | None]:
    """A game, and its lobby as it must be seen now in that message; None if it stands in another. Raises `Refusal`."""
    playing, message, facts = await reader.lobby(game_id)
    if message is None or facts is None or message.message_id != message_id:
        return playing, None
    words, refused = words_of(playing), await reader.unplayable(facts)
    drawn = facts.open and _is_drawn(facts, refused)
    chart = await reader.chart(playing.game.setup, words) if drawn else ""
    return playing, _laid_out(words, facts, message, refused, chart)


async def charts(reader: Reader, game_id: int, user_id: int, key: str, language: str) -> Shown:
    """What a host may choose for an option, in a picture each, and below them the list to choose. Raises `Refusal`."""
    playing, _, facts = await reader.lobby(game_id)
    refuse_unless_host(playing, user_id)
    words = words_of(playing, language)
    choices = telling.choices(playing, key)
    if not choices:
        raise Refusal("option", option=key[:40], value="–", allowed=", ".join(telling.charted(playing)) or "–")
    drawn = await asyncio.gather(*(reader.chart(setup, words) for setup in choices))
    blocks: list[Block] = [words.style.heading(words.say(f"option.{key}"), 3)]
    for setup, picture in zip(choices, drawn, strict=True):
        blocks += [words.say(f"option.{key}.{setup.options[key]}"), picture]
    offered = _choices(words, facts) if facts else []
    return lay_out([*blocks, *(one for one in offered if isinstance(one, Select) and one.ref.token == key)])


async def options(reader: Reader, game_id: int, user_id: int, at: int | str, language: str) -> Shown:
    """More options, for their host alone: a page from 1, or the one with the list of an option. Raises `Refusal`."""
    playing, _, facts = await reader.lobby(game_id)
    refuse_unless_host(playing, user_id)
    if facts is None:
        raise Refusal("busy")  # the message that was pressed is not known yet
    pages = pages_of(words_of(playing, language), facts, await reader.unplayable(facts))
    if isinstance(at, str):
        lists = [{block.ref.token for block in blocks if isinstance(block, Select)} for blocks in pages]
        at = next((number for number, tokens in enumerate(lists) if number and at in tokens), 1)
    page = min(max(at, 1), len(pages) - 1)
    return lay_out([_of_host(block) if isinstance(block, list) else block for block in pages[page]])


def _of_host(buttons: Sequence[Button]) -> list[Button]:
    """Those that a host needs beside their options; the others stand in the lobby's own message."""
    return [one for one in buttons if one.ref.verb not in ("join", "leave", "word")]


def _head(words: Words, facts: Lobby) -> list[Block]:
    """What is agreed, and who sits where."""
    return [telling.head(words, facts), "\n".join(telling.teams(words, facts))]


def pages_of(
    words: Words, facts: Lobby, refused: OrderError | Refusal | None, chart: Drawn | str = ""
) -> list[list[Block]]:
    """The pages of an open lobby: what is agreed and what to press first, and below the buttons what can wait.

    All see the first. On the others stand more options, which only the host is shown.
    """
    game, news = facts.playing.game, [*telling.changed(words, facts), *telling.faulty(words, refused)]
    return paging.pages(
        words,
        above=[*_head(words, facts), *([chart] if chart else []), "\n".join(telling.hints(words, facts, refused))],
        offered=_choices(words, facts),
        controls=_buttons(words, facts),
        last=[_leave(words, facts)],
        below="\n".join([*telling.notes(words, facts), *telling.dice(words, facts)]),
        lean=["\n".join([telling.title(words, facts), *news])],
        pictured=facts.open and _is_drawn(facts, refused),
        turn=lambda page: Ref(verb="options", game=game.id, token=str(page)),
    )


def _choices(words: Words, facts: Lobby) -> list[Block]:
    """A select for each option of the game between which there is anything to choose."""
    game = facts.playing.game
    words, found = labels(words), _games(labels(words), game)
    for spec in facts.options:
        name, means = words.say(f"option.{spec.key}"), telling.means(words, spec.key)
        picks = [
            pick(words, spec.key, value, means, chosen=game.setup.options.get(spec.key) == value)
            for value in spec.values
        ]
        for number, start in enumerate(range(0, len(picks) if len(picks) > 1 else 0, OPTIONS_MOST)):
            ref = Ref(verb="option", game=game.id, request=str(number or ""), token=spec.key)
            found.append(Select(hint=name, ref=ref, picks=tuple(picks[start : start + OPTIONS_MOST])))
        if telling.choices(facts.playing, spec.key):
            look = Ref(verb="charts", game=game.id, token=spec.key)
            found.append([Button(label=words.say("button.charts", option=name), ref=look, joined=True)])
    return found


def pick(words: Words, key: str, value: str, means: str, *, chosen: bool) -> Pick:
    """A value of an option: below its name what it is about, and below what is chosen what the option is about."""
    found = telling.named(words, key, value)
    notes = ". ".join(filter(None, [found.note, means if chosen else ""]))
    label = f"{words.say(f'option.{key}')}: {found.name}"
    return Pick(label=label, value=value, description=notes, chosen=chosen)


def _games(words: Words, game: Game) -> list[Block]:
    """A list of the games that may be played instead, if there are others."""
    picks = [
        structs.replace(pick, chosen=pick.value == game.system) for pick in picks_of(cards(words.catalogue.language))
    ][:OPTIONS_MOST]
    ref = Ref(verb="lobby_game", game=game.id)
    return [Select(hint=words.say("lobby.game"), ref=ref, picks=tuple(picks))] if len(picks) > 1 else []


def _buttons(words: Words, facts: Lobby) -> list[Button]:
    """In every lobby in the same order: what a newcomer wants, what begins the game, and what can wait."""
    words, playing = labels(words), facts.playing
    game = playing.game
    free = [seat for seat in playing.seats if seat.free]
    teams = sorted({seat.team for seat in free})
    several = len(playing.seats) > 2 and not telling.each_alone(playing)
    joins = [
        Button(
            label=words.say("button.join_team", team=str(team)) if several else words.say("button.join"),
            ref=Ref(verb="join", game=game.id, token="" if telling.each_alone(playing) else str(team)),
            style=ButtonStyle.primary,
        )
        for team in (teams[:1] if telling.each_alone(playing) else teams)
    ]
    scenario = Button(label=words.say("button.scenario"), ref=Ref(verb="scenario", game=game.id))
    awaited = any(seat.kept_for for seat in free)  # a host who waits for somebody isn't to start by mistake
    start = Button(
        label=words.say("button.start_with_computer", n=len(free)) if free else words.say("button.start"),
        ref=Ref(verb="start", game=game.id, request=rooms.words_token(playing), version=len(free) + 1),
        style=ButtonStyle.secondary if awaited else ButtonStyle.success,
    )
    word = Button(
        label=words.say("button.add_word"), ref=Ref(verb="word", game=game.id, request=rooms.words_token(playing))
    )
    return [*joins, start, word, *([scenario] if facts.takes_scenario else [])]


def _leave(words: Words, facts: Lobby) -> Button:
    """Gives up one's seat; a host who is alone calls the game off."""
    words, playing = labels(words), facts.playing
    alone = sum(seat.user_id is not None for seat in playing.seats) <= 1
    return Button(
        label=words.say("button.call_off" if alone else "button.leave"),
        ref=Ref(verb="leave", game=playing.game.id),
        style=ButtonStyle.danger if alone else ButtonStyle.secondary,
    )
