"""The message of a lobby: options, seats and buttons to join and start."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from discord import ButtonStyle
from msgspec import UNSET, structs

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_SELECT_OPTIONS
from bot.discord.messages import paging
from bot.discord.messages.board import Button, LayoutBlock, MenuOption, RenderedMessage, SelectMenu, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.discord.messages.pictures import PictureCache, picture_block, with_pending_picture
from bot.discord.messages.welcome import game_menu_options
from bot.errors import Refusal
from bot.jobs.values import DescribedPicture
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import lobby as telling
from bot.presenters.cards import game_cards
from bot.presenters.lobby import LobbyFacts
from bot.presenters.reader import Reader
from bot.presenters.wording import game_localizer
from bot.services import lobby as rooms
from bot.services.options import refuse_unless_host
from bot.store.models.records import Game, OutboxMessage
from bot.store.queries.publications import ShownHash
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.errors import OrderError


async def lay_out_lobby(
    reader: Reader, pictures: PictureCache, facts: LobbyFacts, message: OutboxMessage, words: Localizer
) -> RenderedMessage:
    refused = await reader.lobbies.why_unplayable(facts)
    setup = facts.seated_game.game.setup
    if not facts.is_open or not _has_chart(facts, refused):
        pictures.cancel_obsolete(message)
        return _lay_out(words, facts, message, refused)
    style = reader.picture_style(words)
    picture = await pictures.get_or_draw(
        message, (setup.options, setup.scenario, style), partial(reader.lobbies.draw_chart, setup, words)
    )
    return with_pending_picture(_lay_out(words, facts, message, refused, picture_block(words, picture)), picture)


def _has_chart(facts: LobbyFacts, refused: OrderError | Refusal | None) -> bool:
    return facts.has_chart and (refused is None or facts.seated_game.game.setup.scenario is UNSET)


def _lay_out(
    words: Localizer,
    facts: LobbyFacts,
    message: OutboxMessage,
    refused: OrderError | Refusal | None,
    chart: DescribedPicture | str = "",
) -> RenderedMessage:
    game = facts.seated_game.game
    if game.phase == "lobby":
        blocks, *_ = lobby_pages(words, facts, refused, chart)
    else:
        thread = f"<#{game.thread_id}>" if game.thread_id else "…"
        started = words.say("lobby.started", thread=Markup(thread))
        status = words.say("lobby.cancelled") if game.phase == "cancelled" else started
        blocks = [*_summary_blocks(words, facts), "\n".join(telling.dice_lines(words, facts)), status]
    return structs.replace(
        lay_out_message(blocks, mark=message.mark, pings=facts.invited_users),
        published_hashes=(ShownHash(what="seed", hash=game.seed_hash),),
    )


async def current_lobby(reader: Reader, game_id: int, message_id: int) -> tuple[SeatedGame, RenderedMessage | None]:
    """Return a game and its lobby as it should look now; None if the lobby is another message. Raises `Refusal`."""
    playing, message, facts = await reader.lobbies.read_lobby(game_id)
    if message is None or facts is None or message.message_id != message_id:
        return playing, None
    words, refused = game_localizer(playing), await reader.lobbies.why_unplayable(facts)
    has_chart = facts.is_open and _has_chart(facts, refused)
    chart = await reader.lobbies.draw_chart(playing.game.setup, words) if has_chart else ""
    return playing, _lay_out(words, facts, message, refused, chart)


async def lay_out_charts(reader: Reader, game_id: int, user_id: int, key: str, language: str) -> RenderedMessage:
    """Return a picture of each value of an option for the host, with the list to choose from. Raises `Refusal`."""
    playing, _, facts = await reader.lobbies.read_lobby(game_id)
    refuse_unless_host(playing, user_id)
    words = game_localizer(playing, language)
    choices = telling.chart_variants(playing, key)
    if not choices:
        raise Refusal("option", option=key[:40], value="–", allowed=", ".join(telling.chart_options(playing)) or "–")
    pictures = await asyncio.gather(*(reader.lobbies.draw_chart(setup, words) for setup in choices))
    blocks: list[LayoutBlock] = [words.style.heading(words.say(f"option.{key}"), 3)]
    for setup, picture in zip(choices, pictures, strict=True):
        blocks += [words.say(f"option.{key}.{setup.options[key]}"), picture]
    selects = _option_selects(words, facts) if facts else []
    return lay_out_message(
        [*blocks, *(block for block in selects if isinstance(block, SelectMenu) and block.custom_id.token == key)]
    )


async def lay_out_options(reader: Reader, game_id: int, user_id: int, at: int | str, language: str) -> RenderedMessage:
    """Return a page of further options for the host, from 1, or the one with option `at`. Raises `Refusal`."""
    playing, _, facts = await reader.lobbies.read_lobby(game_id)
    refuse_unless_host(playing, user_id)
    if facts is None:
        raise Refusal("busy")  # the outbox has not yet recorded the pressed message
    pages = lobby_pages(game_localizer(playing, language), facts, await reader.lobbies.why_unplayable(facts))
    if isinstance(at, str):
        lists = [{block.custom_id.token for block in blocks if isinstance(block, SelectMenu)} for blocks in pages]
        at = next((number for number, tokens in enumerate(lists) if number and at in tokens), 1)
    page = min(max(at, 1), len(pages) - 1)
    return lay_out_message([_host_buttons(block) if isinstance(block, list) else block for block in pages[page]])


def _host_buttons(buttons: Sequence[Button]) -> list[Button]:
    return [button for button in buttons if button.custom_id.verb not in ("join", "leave", "word")]


def _summary_blocks(words: Localizer, facts: LobbyFacts) -> list[LayoutBlock]:
    return [telling.summary_text(words, facts), "\n".join(telling.team_lines(words, facts))]


def lobby_pages(
    words: Localizer, facts: LobbyFacts, refused: OrderError | Refusal | None, chart: DescribedPicture | str = ""
) -> list[list[LayoutBlock]]:
    """Return the pages of an open lobby.

    Everybody sees the first page, and only the host is shown the others, which hold more options.
    """
    game, news = facts.seated_game.game, [*telling.change_lines(words, facts), *telling.fault_lines(words, refused)]
    return paging.split_pages(
        words,
        above=[
            *_summary_blocks(words, facts),
            *([chart] if chart else []),
            "\n".join(telling.hint_lines(words, facts, refused)),
        ],
        offered=_option_selects(words, facts),
        controls=_lobby_buttons(words, facts),
        last=[_leave_button(words, facts)],
        below="\n".join([*telling.note_lines(words, facts), *telling.dice_lines(words, facts)]),
        lean=["\n".join([telling.title_text(words, facts), *news])],
        pictured=facts.is_open and _has_chart(facts, refused),
        turn=lambda page: CustomId(verb="options", game=game.id, token=str(page)),
    )


def _option_selects(words: Localizer, facts: LobbyFacts) -> list[LayoutBlock]:
    game = facts.seated_game.game
    words, blocks = label_localizer(words), _game_select(label_localizer(words), game)
    for spec in facts.options:
        name, means = words.say(f"option.{spec.key}"), telling.option_description(words, spec.key)
        picks = [
            option_value(words, spec.key, value, means, chosen=game.setup.options.get(spec.key) == value)
            for value in spec.values
        ]
        for number, start in enumerate(range(0, len(picks) if len(picks) > 1 else 0, MAX_SELECT_OPTIONS)):
            ref = CustomId(verb="option", game=game.id, request=str(number or ""), token=spec.key)
            blocks.append(
                SelectMenu(hint=name, custom_id=ref, options=tuple(picks[start : start + MAX_SELECT_OPTIONS]))
            )
        if telling.chart_variants(facts.seated_game, spec.key):
            charts_ref = CustomId(verb="charts", game=game.id, token=spec.key)
            blocks.append([Button(label=words.say("button.charts", option=name), custom_id=charts_ref, is_joined=True)])
    return blocks


def option_value(words: Localizer, key: str, value: str, option_text: str, *, chosen: bool) -> MenuOption:
    """Return a value as an option of a list. The chosen value also has the description of the option itself."""
    value_name = telling.name_value(words, key, value)
    notes = ". ".join(filter(None, [value_name.note, option_text if chosen else ""]))
    label = f"{words.say(f'option.{key}')}: {value_name.name}"
    return MenuOption(label=label, value=value, description=notes, is_chosen=chosen)


def _game_select(words: Localizer, game: Game) -> list[LayoutBlock]:
    picks = [
        structs.replace(pick, is_chosen=pick.value == game.system)
        for pick in game_menu_options(game_cards(words.catalogue.language))
    ][:MAX_SELECT_OPTIONS]
    ref = CustomId(verb="lobby_game", game=game.id)
    return [SelectMenu(hint=words.say("lobby.game"), custom_id=ref, options=tuple(picks))] if len(picks) > 1 else []


def _lobby_buttons(words: Localizer, facts: LobbyFacts) -> list[Button]:
    words, playing = label_localizer(words), facts.seated_game
    game = playing.game
    free = [seat for seat in playing.seats if seat.is_free]
    teams = sorted({seat.team for seat in free})
    several = len(playing.seats) > 2 and not telling.is_free_for_all(playing)
    joins = [
        Button(
            label=words.say("button.join_team", team=str(team)) if several else words.say("button.join"),
            custom_id=CustomId(verb="join", game=game.id, token="" if telling.is_free_for_all(playing) else str(team)),
            style=ButtonStyle.primary,
        )
        for team in (teams[:1] if telling.is_free_for_all(playing) else teams)
    ]
    scenario = Button(label=words.say("button.scenario"), custom_id=CustomId(verb="scenario", game=game.id))
    awaited = any(seat.kept_for for seat in free)  # a host who waits for somebody should not start by mistake
    start = Button(
        label=words.say("button.start_with_computer", n=len(free)) if free else words.say("button.start"),
        custom_id=CustomId(verb="start", game=game.id, request=rooms.words_token(playing), version=len(free) + 1),
        style=ButtonStyle.secondary if awaited else ButtonStyle.success,
    )
    word = Button(
        label=words.say("button.add_word"),
        custom_id=CustomId(verb="word", game=game.id, request=rooms.words_token(playing)),
    )
    return [*joins, start, word, *([scenario] if facts.accepts_scenario else [])]


def _leave_button(words: Localizer, facts: LobbyFacts) -> Button:
    words, playing = label_localizer(words), facts.seated_game
    alone = sum(seat.user_id is not None for seat in playing.seats) <= 1
    return Button(
        label=words.say("button.call_off" if alone else "button.leave"),
        custom_id=CustomId(verb="leave", game=playing.game.id),
        style=ButtonStyle.danger if alone else ButtonStyle.secondary,
    )
