"""A captain's orders: his panel, the form in which he types, and direct messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final
from weakref import WeakValueDictionary

import discord
from discord import Interaction, ui
from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages import captain
from bot.discord.messages.board import Block, Button, Shown, lay_out, picture_of
from bot.discord.messages.quoting import correction, typed_in, written
from bot.discord.presses import filling
from bot.discord.presses.answering import Answering
from bot.discord.presses.filling import ListForm
from bot.discord.presses.interactions import (
    acknowledge,
    answer,
    asker_of,
    data_of,
    form_text,
    in_place,
    language_of,
    offer,
    open_form,
    question_of,
    recognized,
    redraw,
)
from bot.discord.sending.overtaking import Overtaking
from bot.doors.access import Access
from bot.doors.orders import PATIENCE_SECONDS
from bot.doors.table import Table
from bot.errors import Failed, Refusal, TooMuch
from bot.telling import panel as telling
from bot.telling.asked import Asked
from bot.telling.values import Filled
from bot.telling.wording import words_of
from bot.words import speech
from bot.words.i18n import Words
from bot.words.style import Said
from rules.errors import OrderError

log = logging.getLogger(__name__)

Verb = Callable[[Interaction[Any], Ref], Awaitable[None]]

ANSWER_SECONDS: Final = 1.0
"""How long the answer to a press waits for the step that follows it; longer ones are shown by a second edit."""
TYPED_MOST: Final = 1000
"""Characters of typed orders; a form takes no more, and longer messages are refused."""


class Ordering:
    """Takes orders, and shows what has become of them."""

    def __init__(self, table: Table, answering: Answering, access: Access, overtaking: Overtaking) -> None:
        self._table = table
        self._reader = table.reader
        self._access = access
        self._answering = answering
        self._overtaking = overtaking
        self._turns: WeakValueDictionary[tuple[int, int], asyncio.Lock] = WeakValueDictionary()
        verbs: dict[str, Verb] = {
            "press": self._press,
            "page": self._page,
            "pick": self._pick,
            "seal": self._seal,
            "unseal": self._unseal,
            "type": self._type,
            "typed": self._typed,
            "correct": self._correct,
            "form": self._form,
            "form_sent": self._form_sent,
            "hint": self._hint,
            "take": self._take,
        }
        ended = {name: partial(self._unless_over, verb) for name, verb in verbs.items()}
        self.verbs: dict[str, Verb] = {**ended, "orders": self._orders}
        """What the buttons, selects and forms of a panel do."""

    async def _unless_over(self, verb: Verb, interaction: Interaction[Any], ref: Ref) -> None:
        """Do it; where the game is over, its panel says so and loses its buttons, and nothing is said besides."""
        try:
            await verb(interaction, ref)
        except Refusal as refused:
            if refused.key != "game_over" or interaction.message is None:
                raise
            if not interaction.response.is_done():
                await acknowledge(interaction)
            await self._show_next(interaction, ref.game)

    # --- the panel ---------------------------------------------------------------------------------------------

    async def _press(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._change(
            interaction, ref, lambda asked: self._table.orders.press(asked, ref.version, ref.token, shown=True)
        )

    async def _pick(self, interaction: Interaction[Any], ref: Ref) -> None:
        values = data_of(interaction).get("values") or [""]
        token = str(values[0])
        await self._change(
            interaction, ref, lambda asked: self._table.orders.press(asked, ref.version, token, shown=True)
        )

    async def _seal(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._change(interaction, ref, lambda asked: self._table.orders.seal(asked, ref.version, shown=True))

    async def _unseal(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._change(interaction, ref, lambda asked: self._table.orders.unseal(asked, ref.version))

    async def asked(self, interaction: Interaction[Any], ref: Ref, *, with_panel: bool = False) -> Asked:
        """Find in one look what whoever presses is asked, and who he is: an id may be forged. Raises `Refusal`."""
        user, request = interaction.user.id, ref.request or None
        try:
            asked = await self._reader.asked(user, ref.game, request, with_panel=with_panel)
        except Refusal:
            await self._answering.recognize(interaction)
            await self._access.game(asker_of(interaction), ref.game)  # to whom may not see it there is no such game
            raise
        recognized(interaction, asked.playing.players.get(user))
        return asked

    async def _present(self, interaction: Interaction[Any], ref: Ref, *, with_panel: bool = False) -> Asked:
        """The same, where nothing else is shown: what is asked no more is refused with the way to what is."""
        try:
            return await self.asked(interaction, ref, with_panel=with_panel)
        except Refusal as gone:
            if gone.key == "stale":
                with suppress(Refusal):  # nothing is asked just now
                    offer(interaction, await self._way(interaction, ref.game))
            raise

    async def _way(self, interaction: Interaction[Any], game_id: int) -> Block:
        """Where somebody's panel is, or the button that shows it. Raises `Refusal` if he is asked nothing."""
        asked = await self._reader.asked(interaction.user.id, game_id, with_panel=True)
        words = words_of(asked.playing, language_of(interaction))
        if asked.message and asked.message.message_id:
            return await self._stands(words, asked, captain.link_to(asked.message))
        return [Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game_id))]

    async def _change(
        self, interaction: Interaction[Any], ref: Ref, change: Callable[[Asked], Awaitable[Asked]]
    ) -> None:
        """Change a draft or its seal and show the panel anew in the message that was pressed."""
        await acknowledge(interaction)
        try:
            async with self._one_by_one(interaction.user.id, ref.game):
                asked = await change(await self.asked(interaction, ref))
        except (Refusal, OrderError) as refused:
            if isinstance(refused, Refusal) and refused.key == "game_over":
                raise
            # What was pressed may be out of date: show how things stand, then say why not.
            with suppress(Refusal):
                await self._show_anew(interaction, ref)
                if isinstance(refused, Refusal) and refused.key == "changed":
                    # The panel may be out of sight, or shown anew where nobody looks.
                    offer(interaction, await self._way(interaction, ref.game))
            raise refused from None
        await self._show_what_came(interaction, asked, ref.page)

    async def _page(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Turn to another page of a panel, as it is now."""
        await acknowledge(interaction)
        await self._show_anew(interaction, structs.replace(ref, page=ref.number or 0))

    async def _show_what_came(self, interaction: Interaction[Any], asked: Asked, page: int = 0) -> None:
        """Show a changed draft at once; of a seal also what came of it, if the game goes on with it."""
        if not asked.goes_on:
            await self._show(interaction, asked, page)
            return
        rounds, game_id = self._table.rounds, asked.row.game_id
        if not await rounds.gone_on(game_id, ANSWER_SECONDS):
            await self._show(interaction, asked, drawn=False)  # the step that comes would make it old
            await rounds.gone_on(game_id, PATIENCE_SECONDS)
        panel, pressed = await self._reader.panel_message(asked.row), interaction.message
        ours = panel is not None and pressed is not None and panel.message_id == pressed.id
        # In direct messages what is asked next comes as a new message; elsewhere it follows in the same.
        here = pressed is not None and pressed.flags.ephemeral
        # What is asked on one clock is asked in one panel.
        request = None if here else panel.ref if panel else asked.row.id
        try:
            fresh = await self._reader.asked(interaction.user.id, game_id, request, with_panel=True)
        except Refusal:
            if panel and (ours or here):
                playing = await self._reader.playing(game_id)
                words = words_of(playing, language_of(interaction))
                if here and interaction.guild_id is None and panel.message_id is not None:
                    # It is told in the panel beside it, which stays, and not twice.
                    link = words.say("say.panel_link", link=captain.link_to(panel))
                    shown = captain.closed_panel(playing, words, link=link)
                else:
                    _, left, closing = await self._reader.left(panel)
                    shown = captain.left(left, words, telling.closed(words, left, closing), mark=panel.id)
                if await self._redraw(interaction, shown) and ours:
                    await self._table.orders.panel_shown(panel)
            if not ours:
                await self._table.orders.panel_seen(asked, 0)  # nothing else shows it, so it is not waited for
            return
        await self._show(interaction, fresh)

    async def typed(self, interaction: Interaction[Any], text: str, game_id: int) -> Asked:
        """Put typed text into a draft whose panel is elsewhere: the outbox shows there what has come of it.

        Raises `Refusal` or `OrderError`; the draft is then as it was.
        """
        asked = await self._reader.asked(interaction.user.id, game_id, question_of(interaction))
        if len(text) > TYPED_MOST:
            return await self.elsewhere(await self._table.orders.type(asked, text))
        with self.correctable(interaction, asked, text):
            return await self.elsewhere(await self._table.orders.type(asked, text))

    async def elsewhere(self, asked: Asked) -> Asked:
        """Let the outbox show a changed panel, and if the game goes on with it what came of that, in one go."""
        if asked.goes_on:
            await self._table.rounds.gone_on(asked.row.game_id, ANSWER_SECONDS)
            await self._table.orders.panel_seen(asked, 0)
        return asked

    async def _show(
        self,
        interaction: Interaction[Any],
        asked: Asked,
        page: int = 0,
        *,
        drawn: bool = True,
        advice: telling.Advice | None = None,
    ) -> None:
        """Show how things stand in the message that was pressed, be it the panel or a reply below it.

        Of a panel text and buttons come at once, over the picture that it has, and then the new picture, if it is to
        be `drawn`; it counts as seen with that. What cannot be drawn now is left to the outbox.
        """
        panel, pressed = asked.message, interaction.message
        words = words_of(asked.playing, language_of(interaction))
        if pressed is None:
            await answer(interaction, await captain.panel_of(self._reader, asked, words))
            return
        ours = panel is not None and panel.message_id == pressed.id
        if panel and panel.message_id and not ours and not pressed.flags.ephemeral:
            # Below what he wrote there is a newer one.
            if await self._redraw(interaction, lay_out([await self._stands(words, asked, captain.link_to(panel))])):
                await self._table.orders.panel_seen(asked, pressed.id)
            return
        # The outbox's mark stays on the message that the outbox sent.
        mark = panel.id if panel and ours else None
        offer = await self._reader.offer(asked)
        lay = partial(captain.laid_out, words, asked, offer, mark=mark, page=page, advice=advice)
        draw = partial(self._reader.plan, asked, words) if drawn else None

        async def edit(shown: Shown) -> bool:
            try:
                return await redraw(interaction, shown)
            except discord.HTTPException:
                if not shown.keeps:
                    raise
            return await redraw(interaction, lay(None))  # the picture has gone since he pressed

        try:
            came = await self._overtaking.in_two(pressed.id, picture_of(pressed), lay, draw, edit)
        except (Refusal, Failed, TooMuch) as missing:
            if not isinstance(missing, Refusal):
                log.exception("picture of a press could not be made")
            if not ours:  # nobody else shows it there
                await self._redraw(interaction, lay(None))
            came = "replaced"
        if came == "shown" and drawn:
            await self._table.orders.panel_seen(asked, pressed.id)
        elif came == "replaced":
            await self._table.orders.panel_seen(asked, 0)

    async def _redraw(self, interaction: Interaction[Any], shown: Shown) -> bool:
        """Show something in place of what was pressed, and no picture after it that was wanted before."""
        if interaction.message is None:
            return await redraw(interaction, shown)
        async with self._overtaking.whole(interaction.message.id, shown):
            return await redraw(interaction, shown)

    async def _stands(self, words: Words, asked: Asked, link: str) -> str:
        """How a captain's orders stand, in a message that is not his panel, which a link leads to."""
        choices = (await self._reader.offer(asked)).choices
        lines = speech.paged([*map(words.text, choices.lines)], telling.HINT_MOST)[:1]
        lines += [telling.sealed(words, asked)] if asked.answer else []
        return "\n".join([*lines, words.say("say.panel_below", link=Said(link))])

    def _one_by_one(self, user_id: int, game_id: int) -> asyncio.Lock:
        """What keeps somebody's presses in the order in which they came, though each looks and thinks for itself."""
        return self._turns.setdefault((user_id, game_id), asyncio.Lock())

    async def _show_anew(self, interaction: Interaction[Any], ref: Ref) -> None:
        try:
            asked = await self.asked(interaction, ref, with_panel=True)
        except Refusal as gone:
            if gone.key in ("not_seated", "unknown_game", "left_out"):
                raise  # it is not his panel, and the captain still needs it
            await self._show_next(interaction, ref.game)
            return
        await self._show(interaction, asked, ref.page)

    async def _show_next(self, interaction: Interaction[Any], game_id: int) -> None:
        """In a panel that was closed meanwhile: show what is asked now, or where it is asked, or what came of it."""
        pressed, user_id = interaction.message, interaction.user.id
        try:
            asked = await self._reader.asked(user_id, game_id, with_panel=True)
        except Refusal:
            playing, left, closing = await self._reader.ended(game_id, user_id)
            words = words_of(playing, language_of(interaction))
            shown = captain.closed_panel(playing, words, told=telling.told(words, left, closing))
        else:
            if pressed is None or pressed.flags.ephemeral:
                await self._show(interaction, asked)
                return
            words = words_of(asked.playing, language_of(interaction))
            found = asked.message and asked.message.message_id
            link = words.say("say.panel_link", link=captain.link_to(asked.message)) if asked.message and found else ""
            shown = lay_out([f"{words.say('panel.closed')} {link}".rstrip()])
        await self._redraw(interaction, shown)
        if pressed:
            await self._table.orders.shown_otherwise(game_id, pressed.id)

    async def _type(self, interaction: Interaction[Any], ref: Ref) -> None:
        asked = await self._present(interaction, ref)
        words = words_of(asked.playing, language_of(interaction))
        await open_form(interaction, TypeForm(words, ref, asked.row.draft, await self.example(words, asked)))

    async def _correct(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Open the form with what was typed and refused."""
        asked = await self._present(interaction, ref)
        words = words_of(asked.playing, language_of(interaction))
        await open_form(
            interaction, TypeForm(words, ref, await written(interaction.message), await self.example(words, asked))
        )

    async def _typed(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)
        asked, text = await self._present(interaction, ref), form_text(interaction)
        if not text.strip():
            raise Refusal("empty")
        hangs_on = interaction.message
        # Below a refusal in direct messages the panel is posted anew, and the refusal goes.
        below = (
            interaction.guild_id is None
            and hangs_on is not None
            and not hangs_on.flags.ephemeral
            and bool(typed_in(hangs_on))
        )
        if typed_in(hangs_on):
            in_place(interaction)
        with self.correctable(interaction, asked, text):
            asked = await self._table.orders.type(asked, text, shown=not below, below=below)
        if below:
            await self.elsewhere(asked)
        elif hangs_on is None:
            await self._answer_with_panel(interaction, asked)
        else:
            await self._show_what_came(interaction, asked)

    @contextmanager
    def correctable(self, interaction: Interaction[Any], asked: Asked, text: str) -> Iterator[None]:
        """If the text is refused, offer to correct it."""
        try:
            yield
        except OrderError:
            words = words_of(asked.playing, language_of(interaction))
            offer(interaction, *correction(words, asked.row, text))
            raise

    async def _form(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Open a form of lists, which shows the draft as it is now. Raises `Refusal` if it is not to be had now."""
        asked = await self._present(interaction, ref)
        words = words_of(asked.playing, language_of(interaction))
        form = await self._reader.form(asked, ref.token)
        if form is None:
            raise Refusal("stale")
        await open_form(interaction, ListForm(words, ref, form))

    async def _form_sent(self, interaction: Interaction[Any], ref: Ref) -> None:
        filled = Filled(ref.token, filling.chosen(interaction))
        await self._change(interaction, ref, lambda asked: self._table.orders.fill(asked, filled, shown=True))

    async def _orders(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self._answer_with_panel(interaction, await self.asked(interaction, structs.replace(ref, request="")))

    async def show(self, interaction: Interaction[Any], game_id: int | None) -> None:
        """Give somebody his panel where he is, for his eyes only; the interaction was deferred. Raises `Refusal`."""
        asked = await self._reader.asked(interaction.user.id, game_id)
        await self._answer_with_panel(interaction, asked)

    async def _answer_with_panel(self, interaction: Interaction[Any], asked: Asked) -> None:
        words = words_of(asked.playing, language_of(interaction))
        await answer(interaction, await captain.panel_of(self._reader, asked, words))

    async def example(self, words: Words, asked: Asked) -> Said:
        """How to write what somebody is asked, with ships of his own."""
        return words.say(f"example.{asked.row.body.kind}", **await self._reader.example(asked))

    # --- hints -------------------------------------------------------------------------------------------------

    async def _hint(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Show advice in the panel that it is for, with a button to take it."""
        await acknowledge(interaction)
        asked = await self._present(interaction, ref, with_panel=True)
        whims = self._table.orders.whims()
        advice = telling.Advice(await self._table.orders.hint(asked, whims), whims)
        await self._show(interaction, asked, drawn=False, advice=advice)
        if interaction.message:
            await self._table.orders.shown_otherwise(ref.game, interaction.message.id)

    async def _take(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Put a hint into the draft, found again by its whims."""
        await self._change(interaction, ref, lambda asked: self._table.orders.take(asked, ref.token, shown=True))


class TypeForm(ui.Modal):
    """A form for typed orders. What it sends is handled by its custom id, so that a restart loses nothing."""

    def __init__(self, words: Words, ref: Ref, text: str, example: str) -> None:
        sent = Ref(verb="typed", game=ref.game, request=ref.request, version=ref.version)
        super().__init__(title=words.say("panel.type_title")[:45], custom_id=sent.pack(), timeout=3600)
        field: ui.TextInput[TypeForm] = ui.TextInput(
            custom_id="text",
            style=discord.TextStyle.paragraph,
            default=text[:TYPED_MOST] or None,
            max_length=TYPED_MOST,
            required=False,
        )
        label = words.say("panel.type_label")[:45]
        self.add_item(ui.Label(text=label, description=example[:100], component=field))
