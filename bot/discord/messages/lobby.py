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
from bot.lifecycle.steps.matches import can_exchange_sides
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import lobby as lobby_presenter
from bot.presenters.acts import log_entry_text
from bot.presenters.cards import game_cards
from bot.presenters.lobby import LobbyFacts
from bot.presenters.reader import Reader
from bot.presenters.wording import game_localizer
from bot.services import lobby as lobby_service
from bot.services.options import refuse_unless_host
from bot.store.models.records import Game, OutboxMessage
from bot.store.queries.publications import ShownHash
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.errors import OrderError


async def lay_out_lobby(
    reader: Reader, pictures: PictureCache, facts: LobbyFacts, message: OutboxMessage, localizer: Localizer
) -> RenderedMessage:
    refusal = await reader.lobbies.why_unplayable(facts)  # None if the game can begin with these options
    setup = facts.seated_game.game.setup
    if not facts.is_open or not _has_chart(facts, refusal):
        pictures.cancel_obsolete(message)
        return _lay_out(localizer, facts, message, refusal)
    style = reader.picture_style(localizer)
    subject = (setup.options, setup.scenario, style)  # everything that the picture depends on
    picture = await pictures.get_or_draw(message, subject, partial(reader.lobbies.draw_chart, setup, localizer))
    rendered = _lay_out(localizer, facts, message, refusal, picture_block(localizer, picture))
    return with_pending_picture(rendered, picture)


def _has_chart(facts: LobbyFacts, refusal: OrderError | Refusal | None) -> bool:
    """Return whether the lobby shows a chart; that of a scenario which is refused cannot be drawn."""
    return facts.has_chart and (refusal is None or facts.seated_game.game.setup.scenario is UNSET)


def _lay_out(
    localizer: Localizer,
    facts: LobbyFacts,
    message: OutboxMessage,
    refusal: OrderError | Refusal | None,
    chart: DescribedPicture | str = "",
) -> RenderedMessage:
    game = facts.seated_game.game
    if game.phase == "lobby":
        blocks = lobby_pages(localizer, facts, refusal, chart)[0]  # the other pages are shown to the host only
    else:
        if game.phase == "cancelled":
            status = log_entry_text(localizer, facts.ending) if facts.ending else localizer.say("lobby.cancelled")
        else:
            thread = f"<#{game.thread_id}>" if game.thread_id else "…"
            status = localizer.say("lobby.started", thread=Markup(thread))
        blocks = [*_summary_blocks(localizer, facts), "\n".join(lobby_presenter.dice_lines(localizer, facts)), status]
    return structs.replace(
        lay_out_message(blocks, mark=message.mark, pings=facts.invited_users),
        published_hashes=(ShownHash(what="seed", hash=game.seed_hash),),
    )


async def current_lobby(reader: Reader, game_id: int, message_id: int) -> tuple[SeatedGame, RenderedMessage | None]:
    """Return a game and its lobby as it should look now; None if the lobby is another message. Raises `Refusal`."""
    seated_game, message, facts = await reader.lobbies.read_lobby(game_id)
    if message is None or facts is None or message.message_id != message_id:
        return seated_game, None
    localizer, refusal = game_localizer(seated_game), await reader.lobbies.why_unplayable(facts)
    has_chart = facts.is_open and _has_chart(facts, refusal)
    chart = await reader.lobbies.draw_chart(seated_game.game.setup, localizer) if has_chart else ""
    return seated_game, _lay_out(localizer, facts, message, refusal, chart)


async def lay_out_charts(reader: Reader, game_id: int, user_id: int, key: str, language: str) -> RenderedMessage:
    """Return a picture of each value of an option for the host, with the list to choose from. Raises `Refusal`."""
    seated_game, _, facts = await reader.lobbies.read_lobby(game_id)
    refuse_unless_host(seated_game, user_id)
    localizer = game_localizer(seated_game, language)
    setups = lobby_presenter.chart_variants(seated_game, key)  # one for each value of the option
    if not setups:
        allowed = ", ".join(lobby_presenter.chart_options(seated_game)) or "–"
        raise Refusal("option", option=key[:40], value="–", allowed=allowed)
    pictures = await asyncio.gather(*(reader.lobbies.draw_chart(setup, localizer) for setup in setups))
    blocks: list[LayoutBlock] = [localizer.style.heading(localizer.say(f"option.{key}"), 3)]
    for setup, picture in zip(setups, pictures, strict=True):
        blocks += [localizer.say(f"option.{key}.{setup.options[key]}"), picture]
    selects = _option_selects(localizer, facts) if facts else []
    blocks += [block for block in selects if isinstance(block, SelectMenu) and block.custom_id.token == key]
    return lay_out_message(blocks)


async def lay_out_options(
    reader: Reader, game_id: int, user_id: int, page_or_option: int | str, language: str
) -> RenderedMessage:
    """Return a page of further options for the host, by its number from 1 or by an option on it. Raises `Refusal`."""
    seated_game, _, facts = await reader.lobbies.read_lobby(game_id)
    refuse_unless_host(seated_game, user_id)
    if facts is None:
        raise Refusal("busy")  # the outbox has not yet recorded the pressed message
    pages = lobby_pages(game_localizer(seated_game, language), facts, await reader.lobbies.why_unplayable(facts))
    if isinstance(page_or_option, str):
        option_keys_by_page = [
            {block.custom_id.token for block in blocks if isinstance(block, SelectMenu)} for blocks in pages
        ]
        pages_with_option = [
            number for number, keys in enumerate(option_keys_by_page[1:], start=1) if page_or_option in keys
        ]
        wanted_page = pages_with_option[0] if pages_with_option else 1
    else:
        wanted_page = page_or_option
    page = min(max(wanted_page, 1), len(pages) - 1)
    return lay_out_message([_host_buttons(block) if isinstance(block, list) else block for block in pages[page]])


def _host_buttons(buttons: Sequence[Button]) -> list[Button]:
    return [button for button in buttons if button.custom_id.verb not in ("join", "leave", "word")]


def _summary_blocks(localizer: Localizer, facts: LobbyFacts) -> list[LayoutBlock]:
    return [lobby_presenter.summary_text(localizer, facts), "\n".join(lobby_presenter.team_lines(localizer, facts))]


def lobby_pages(
    localizer: Localizer, facts: LobbyFacts, refusal: OrderError | Refusal | None, chart: DescribedPicture | str = ""
) -> list[list[LayoutBlock]]:
    """Return the pages of an open lobby.

    Everybody sees the first page, and only the host is shown the others, which hold more options.
    """
    game_id = facts.seated_game.game.id
    news = [*lobby_presenter.change_lines(localizer, facts), *lobby_presenter.fault_lines(localizer, refusal)]
    return paging.split_pages(
        localizer,
        above=[
            *_summary_blocks(localizer, facts),
            *([chart] if chart else []),
            "\n".join(lobby_presenter.hint_lines(localizer, facts, refusal)),
        ],
        options=_option_selects(localizer, facts),
        controls=_lobby_buttons(localizer, facts),
        final_buttons=[_leave_button(localizer, facts)],
        below="\n".join([*lobby_presenter.note_lines(localizer, facts), *lobby_presenter.dice_lines(localizer, facts)]),
        short_head=["\n".join([lobby_presenter.title_text(localizer, facts), *news])],
        has_picture=facts.is_open and _has_chart(facts, refusal),
        page_custom_id=lambda page: CustomId(verb="options", game=game_id, token=str(page)),
    )


def _option_selects(localizer: Localizer, facts: LobbyFacts) -> list[LayoutBlock]:
    """Return lists for the kind of game and for options with several values, and buttons that show charts."""
    game = facts.seated_game.game
    localizer = label_localizer(localizer)
    # The kind of game and its rating are on the first page.
    blocks = [*_game_select(localizer, game), *_rating_button(localizer, facts)]
    for spec in facts.options:
        name = localizer.say(f"option.{spec.key}")
        description = lobby_presenter.option_description(localizer, spec.key)
        chosen_value = game.setup.options.get(spec.key)
        values = [
            option_value(localizer, spec.key, value, description, chosen=value == chosen_value) for value in spec.values
        ]
        if len(values) < 2:
            values = []  # there is nothing to choose
        for number, start in enumerate(range(0, len(values), MAX_SELECT_OPTIONS)):
            # The lists of one option need different ids; the first has no number.
            custom_id = CustomId(verb="option", game=game.id, request=str(number or ""), token=spec.key)
            part = tuple(values[start : start + MAX_SELECT_OPTIONS])
            blocks.append(SelectMenu(hint=name, custom_id=custom_id, options=part))
        if lobby_presenter.chart_variants(facts.seated_game, spec.key):
            charts_id = CustomId(verb="charts", game=game.id, token=spec.key)
            label = localizer.say("button.charts", option=name)
            blocks.append([Button(label=label, custom_id=charts_id, is_joined=True)])
    if can_exchange_sides(game.setup.teams):
        label = localizer.say("button.one_game" if game.is_match else "button.match")
        match_id = CustomId(verb="match", game=game.id, request="" if game.is_match else "2")
        blocks.append([Button(label=label, custom_id=match_id)])
    return blocks


def _rating_button(localizer: Localizer, facts: LobbyFacts) -> list[LayoutBlock]:
    """Return a button that exchanges rating for hints; none if the computer plays, which is never rated."""
    if any(seat.computer for seat in facts.seated_game.seats):
        return []
    game = facts.seated_game.game
    choice = "unrated" if game.rated else "rated"
    label = localizer.say(f"button.rating.{choice}")
    return [[Button(label=label, custom_id=CustomId(verb="rating", game=game.id, token=str(int(not game.rated))))]]


def option_value(localizer: Localizer, key: str, value: str, option_text: str, *, chosen: bool) -> MenuOption:
    """Return a value as an option of a list. The chosen value also has the description of the option itself."""
    value_name = lobby_presenter.name_value(localizer, key, value)
    notes = ". ".join(filter(None, [value_name.note, option_text if chosen else ""]))
    label = f"{localizer.say(f'option.{key}')}: {value_name.name}"
    return MenuOption(label=label, value=value, description=notes, is_chosen=chosen)


def _game_select(localizer: Localizer, game: Game) -> list[LayoutBlock]:
    """Return a list of all kinds of game; none if there is only one."""
    menu_options = game_menu_options(game_cards(localizer.catalogue.language))[:MAX_SELECT_OPTIONS]
    if len(menu_options) < 2:
        return []
    options = tuple(structs.replace(option, is_chosen=option.value == game.system) for option in menu_options)
    return [
        SelectMenu(
            hint=localizer.say("lobby.game"), custom_id=CustomId(verb="lobby_game", game=game.id), options=options
        )
    ]


def _lobby_buttons(localizer: Localizer, facts: LobbyFacts) -> list[Button]:
    localizer, seated_game = label_localizer(localizer), facts.seated_game
    game = seated_game.game
    free_seats = [seat for seat in seated_game.seats if seat.is_free]
    free_teams = sorted({seat.team for seat in free_seats})
    is_free_for_all = lobby_presenter.is_free_for_all(seated_game)
    if is_free_for_all:
        free_teams = free_teams[:1]  # one button for all, which names no side
    names_team = len(seated_game.seats) > 2 and not is_free_for_all
    # The ids hold what the presser sees: words and settings, and for Start one more than the number of free seats.
    seen = lobby_service.lobby_token(seated_game)
    joins = [
        Button(
            label=localizer.say("button.join_team", team=str(team)) if names_team else localizer.say("button.join"),
            custom_id=CustomId(verb="join", game=game.id, request=seen, token="" if is_free_for_all else str(team)),
            style=ButtonStyle.primary,
        )
        for team in free_teams
    ]
    scenario = Button(label=localizer.say("button.scenario"), custom_id=CustomId(verb="scenario", game=game.id))
    free_count = len(free_seats)
    start_label = (
        localizer.say("button.start_with_computer", n=free_count) if free_seats else localizer.say("button.start")
    )
    is_somebody_awaited = any(seat.kept_for for seat in free_seats)  # then the host should not start by mistake
    start = Button(
        label=start_label,
        custom_id=CustomId(verb="start", game=game.id, request=seen, version=free_count + 1),
        style=ButtonStyle.secondary if is_somebody_awaited else ButtonStyle.success,
    )
    word = Button(
        label=localizer.say("button.add_word"),
        custom_id=CustomId(verb="word", game=game.id, request=seen),
    )
    buttons = [*joins, start, word]
    return [*buttons, scenario] if facts.accepts_scenario else buttons


def _leave_button(localizer: Localizer, facts: LobbyFacts) -> Button:
    localizer, seated_game = label_localizer(localizer), facts.seated_game
    is_host_alone = sum(seat.user_id is not None for seat in seated_game.seats) <= 1
    return Button(
        label=localizer.say("button.call_off" if is_host_alone else "button.leave"),
        custom_id=CustomId(verb="leave", game=seated_game.game.id),
        style=ButtonStyle.danger if is_host_alone else ButtonStyle.secondary,
    )
