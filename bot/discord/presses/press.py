"""What happens when somebody presses a button, picks from a select or sends a form."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import discord
from discord import Interaction, ui
from msgspec import structs

from bot import logs
from bot.discord.ids import PATTERN, Ref, of_match, unpack
from bot.discord.messages import lessons, lobby
from bot.discord.messages.quoting import typed_in
from bot.discord.metrics import Metrics
from bot.discord.presses.answering import Answering
from bot.discord.presses.dice import DiceWords
from bot.discord.presses.interactions import (
    acknowledge,
    answer,
    answer_only,
    asker_of,
    data_of,
    language_of,
    name_of,
    player_of,
    redraw,
)
from bot.discord.presses.mine import Mine
from bot.discord.presses.ordering import Ordering
from bot.discord.presses.reading import Reading
from bot.discord.presses.scenarios import Scenarios
from bot.discord.presses.welcome import Welcome
from bot.discord.presses.writing import Writing
from bot.discord.sending.overtaking import Overtaking
from bot.doors.access import Access
from bot.doors.table import Table
from bot.errors import Refusal
from bot.life import agreement
from bot.telling.lessons import Page
from bot.words.i18n import Catalogue, Words
from bot.words.style import Said
from rules.protocol import EMPTY, Draft

Verb = Callable[[Interaction[Any], Ref], Awaitable[None]]


class Presses:
    """Carries presses to the table and shows what came of them."""

    def __init__(
        self, table: Table, metrics: Metrics, access: Access, overtaking: Overtaking, *, phase_length: str
    ) -> None:
        """`phase_length` is the pace of games that begin at one press."""
        self._table = table
        self.access = access
        self.answering = Answering(table, metrics)
        self.ordering = Ordering(table, self.answering, access, overtaking)
        self.writing = Writing(table, self.answering, access, self.ordering)
        self.reading = Reading(table)
        self.welcome = Welcome(table, self.ordering, phase_length=phase_length)
        self.again: dict[str, Callable[..., Awaitable[None]]] = {}
        """Commands that may be used again for another game, by their names."""
        of_lessons: dict[str, Verb] = {
            "lesson": self._lesson,
            "lesson_press": self._lesson_press,
            "lesson_pick": self._lesson_pick,
            "lesson_page": self._lesson_page,
            "lesson_hint": self._lesson_hint,
            "lesson_try": self._lesson_try,
        }
        self.verbs: dict[str, Verb] = {
            **self.ordering.verbs,
            **self.writing.verbs,
            **self.reading.verbs,
            **self.welcome.verbs,
            **Mine(table).verbs,
            **DiceWords(table).verbs,
            **Scenarios(table).verbs,
            "join": self._join,
            "leave": self._leave,
            "start": self._start,
            "option": self._option,
            "options": self._options,
            "draw": self._draw,
            "agree": self._agree,
            "concede": self._concede,
            "take_over": self._take_over,
            **of_lessons,
            "agree_act": self._agree_act,
            "again": self._again,
            "rematch": self._rematch,
            "decline": self._decline,
            "decline_act": self._decline_act,
            "decline_draw": self._decline_draw,
        }
        """All that a custom id may ask for."""
        self._private = {*self.ordering.verbs, *self.writing.verbs, *of_lessons, "games"} - {"orders"}
        """What stands only where nobody else sees it: it may be shown anew in the message that was pressed."""

    async def handle(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Do what a button, select or form of ours asks for."""
        if verb := self.verbs.get(ref.verb):
            # Whoever presses his panel is found out with what he is asked, in one look at the database.
            doing = verb if ref.verb in self.ordering.verbs else partial(self._admitted, verb)
            forged = ref.verb in self._private and _seen_by_all(interaction)
            acting = self._forged(interaction, ref) if forged else doing(interaction, ref)
            with logs.about(game=ref.game):
                await self.answering.guarded(interaction, ref.verb, acting)

    async def _admitted(self, verb: Verb, interaction: Interaction[Any], ref: Ref) -> None:
        """Do it for whoever may see the game; a custom id may be forged."""
        await self.answering.recognize(interaction)
        if ref.game:  # lessons have none
            await self.access.game(asker_of(interaction), ref.game)
        await verb(interaction, ref)

    async def _forged(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Do nothing to a message that never had such a button; a stranger is told that he is one. Raises `Refusal`."""
        await self.answering.recognize(interaction)
        if ref.game:
            await self.ordering.asked(interaction, ref)
        raise Refusal("stale")

    # --- the lobby ---------------------------------------------------------------------------------------------

    async def _join(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        player = player_of(interaction.user, str(interaction.locale))
        await self._table.join(player, ref.game, ref.number)
        await self._say(interaction, "say.joined")

    async def _leave(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.leave(interaction.user.id, ref.game)
        await self._say(interaction, "say.left")

    async def _start(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.start(interaction.user.id, ref.game, words_seen=ref.request)
        await self._say(interaction, "say.started")

    async def _option(self, interaction: Interaction[Any], ref: Ref) -> None:
        (value, *_) = data_of(interaction).get("values") or [""]
        await self._change_lobby(
            interaction, ref, self._table.choose(interaction.user.id, ref.game, ref.token, str(value))
        )

    async def _options(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._change_lobby(
            interaction, ref, self._table.turn_options(interaction.user.id, ref.game, ref.number or 0)
        )

    async def _change_lobby(self, interaction: Interaction[Any], ref: Ref, change: Awaitable[None]) -> None:
        """Change what its host has chosen: the outbox shows it to all; to whoever may not, at once how things stand."""
        await acknowledge(interaction)
        try:
            await change
        except Refusal:
            # His own Discord shows already what he has picked.
            pressed = interaction.message.id if interaction.message else 0
            playing, shown = await lobby.as_it_is(self._table.reader, ref.game, pressed)
            if shown is not None and playing.game.phase == "lobby":
                await redraw(interaction, shown)
            raise

    async def _again(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Use a command once more, for the game that was meant; what was typed stands in the message."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        command, text = self.again.get(ref.token), typed_in(interaction.message)
        if command is None:
            raise Refusal("stale")
        options = inspect.signature(command).parameters
        given = {"text": text} if text and "text" in options else {}
        needed = {name for name, option in options.items() if option.default is option.empty} - {"interaction", "game"}
        if not needed <= given.keys() or (given and not ref.request):
            raise Refusal("stale")  # no button of ours carries more, nor a text without its question
        if given:
            answer_only(interaction, ref.request)
        await command(interaction, game=str(ref.game), **given)

    # --- the game ----------------------------------------------------------------------------------------------

    async def _draw(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        agreed = await self._table.offer_draw(interaction.user.id, ref.game)
        await self._say(interaction, "say.draw_agreed" if agreed else "say.draw_offered")

    async def _agree(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.time.agree(interaction.user.id, ref.game, ref.number or 0)
        await self._say(interaction, "say.agreed")

    async def _concede(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.concede(interaction.user.id, ref.game)
        await self._say(interaction, "say.conceded")

    async def _take_over(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self.take_over(interaction, ref.game, ref.number)

    async def take_over(self, interaction: Interaction[Any], game_id: int, seat: int | None = None) -> None:
        """Give an offered seat to whoever asks, and show him his panel; the interaction was deferred."""
        await self._table.absence.take_over(player_of(interaction.user, str(interaction.locale)), game_id, seat)
        await self._say(interaction, "say.took_over")

    async def _decline(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.time.decline(interaction.user.id, ref.game, ref.number or 0)
        await self._say(interaction, "say.declined")

    async def _decline_act(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.repair.decline(interaction.user.id, ref.game, ref.number or 0)
        await self._say(interaction, "say.declined")

    async def _decline_draw(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._table.decline_draw(interaction.user.id, ref.game)
        await self._say(interaction, "say.declined")

    async def _rematch(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        player = player_of(interaction.user, str(interaction.locale))
        roles = tuple(role.id for role in getattr(interaction.user, "roles", ()))
        number, opened = await self._table.rematch(player, ref.game, roles=roles, manager=asker_of(interaction).manages)
        words = Words(Catalogue.load(language_of(interaction)))
        playing = await self._table.reader.playing(number)
        place = Said(f"<#{playing.game.channel_id}>")
        alone = all(seat.kept_for is None for seat in playing.seats)
        key = ("say.rematch_alone" if alone else "say.rematch") if opened else "say.rematch_joined"
        await answer(interaction, words.say(key, number=number, place=place))

    async def _agree_act(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        proposed, done = await self._table.repair.agree(interaction.user.id, ref.game, ref.number or 0)
        if proposed == agreement.UNDO:
            await self._say(interaction, "say.undone" if done else "say.undo_agreed")
        else:
            await self._say(interaction, "say.resolved" if done else "say.resolve_agreed")

    async def _say(self, interaction: Interaction[Any], key: str) -> None:
        await answer(interaction, Words(Catalogue.load(language_of(interaction))).say(key))

    # --- lessons -----------------------------------------------------------------------------------------------

    async def _lesson(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref)

    async def _lesson_press(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref, _draft(interaction), ref.token)

    async def _lesson_pick(self, interaction: Interaction[Any], ref: Ref) -> None:
        (token, *_) = data_of(interaction).get("values") or [""]
        await self._show_lesson(interaction, ref, _draft(interaction), str(token))

    async def _lesson_page(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, structs.replace(ref, page=ref.number or 0), _draft(interaction))

    async def _lesson_hint(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref, Draft(_page(interaction, ref).hint))

    async def _show_lesson(
        self, interaction: Interaction[Any], ref: Ref, draft: Draft = EMPTY, pressed: str | None = None
    ) -> None:
        await acknowledge(interaction)
        page = _page(interaction, ref)
        await redraw(interaction, await lessons.lesson(self._table.reader, page, draft, pressed, sheet=ref.page))

    async def _lesson_try(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)
        await redraw(
            interaction, await lessons.outcome(self._table.reader, _page(interaction, ref), _draft(interaction))
        )


def _seen_by_all(interaction: Interaction[Any]) -> bool:
    """Whether a message was pressed that others see too."""
    pressed = interaction.message
    return interaction.guild_id is not None and pressed is not None and not pressed.flags.ephemeral


def _page(interaction: Interaction[Any], ref: Ref) -> Page:
    """The lesson whose button was pressed."""
    return Page(language_of(interaction), name_of(interaction.user), ref.request, ref.version)


def _draft(interaction: Interaction[Any]) -> Draft:
    """What a pupil has ordered so far, as the lesson's message shows it."""
    message = interaction.message
    if message is None:
        return EMPTY
    texts = (part for box in message.components if isinstance(box, discord.Container) for part in box.children)
    return lessons.draft_in(part.content for part in texts if isinstance(part, discord.TextDisplay))


class Pressed(ui.DynamicItem[ui.Item[Any]], template=PATTERN):
    """Any button or select of ours, known by its custom id alone; so it works after a restart."""

    def __init__(self, item: ui.Item[Any], ref: Ref) -> None:
        super().__init__(item)
        self._ref = ref

    @classmethod
    async def from_custom_id(
        cls, _interaction: Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> Pressed:
        """Read what was pressed."""
        return cls(item, of_match(match))

    async def callback(self, interaction: Interaction[Any]) -> None:
        """Do it."""
        await interaction.client.presses.handle(interaction, self._ref)


async def on_form(presses: Presses, interaction: Interaction[Any]) -> None:
    """Take a form that was sent, also one that was opened before a restart."""
    ref = unpack(str(data_of(interaction).get("custom_id", "")))
    if interaction.type is discord.InteractionType.modal_submit and ref:
        await presses.handle(interaction, ref)
