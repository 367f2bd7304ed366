"""What the user keeps from game to game, such as crews: a list, and each by itself, to be renamed or dismissed."""

from __future__ import annotations

from typing import Any

from discord import ButtonStyle, Interaction, ui

from bot.discord.ids import Ref
from bot.discord.messages.board import OPTIONS_MOST, Button, Pick, Select, Shown, lay_out
from bot.discord.presses.interactions import (
    acknowledge,
    answer,
    form_text,
    is_private,
    language_of,
    open_form,
    picked,
    redraw,
)
from bot.discord.presses.verbs import verb
from bot.doors.keepsakes import NAME_MOST
from bot.doors.table import Table
from bot.store.records import KeepsakeRow
from bot.telling import keepsakes as telling
from bot.words.i18n import Catalogue, Words
from bot.words.style import PLAIN


class KeepsakePresses:
    """Lets people look after what they keep."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @verb("keepsakes")
    async def _list(self, interaction: Interaction[Any], ref: Ref) -> None:  # noqa: ARG002 - as every verb
        await self._answer(interaction, await self._listed(interaction))

    @verb("keepsake")
    async def _pick(self, interaction: Interaction[Any], ref: Ref) -> None:
        if is_private(interaction):
            await acknowledge(interaction)  # so that the list can be reset if the pick is refused
        await self._answer(interaction, await self._one(interaction, *_named(picked(interaction) or ref.token)))

    @verb("keepsake_name")
    async def _ask_name(self, interaction: Interaction[Any], ref: Ref) -> None:
        row = await self._table.keepsakes.one(interaction.user.id, *_named(ref.token))
        await open_form(interaction, _NameForm(Words(Catalogue.load(language_of(interaction)), style=PLAIN), row))

    @verb("keepsake_named")
    async def _rename(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._table.keepsakes.rename(interaction.user.id, *_named(ref.token), form_text(interaction))
        await self._answer(interaction, await self._one(interaction, *_named(ref.token)))

    @verb("keepsake_drop")
    async def _ask_whether_sure(self, interaction: Interaction[Any], ref: Ref) -> None:
        row = await self._table.keepsakes.one(interaction.user.id, *_named(ref.token))
        words = Words(Catalogue.load(language_of(interaction)))
        sure = Button(
            label=words.say("button.keepsake_drop_now"),
            ref=Ref(verb="keepsake_dropped", game=0, token=ref.token),
            style=ButtonStyle.danger,
        )
        text = words.say("keepsake.drop_sure", name=row.name)
        await self._answer(interaction, lay_out([text, [sure, _back(words, "keepsake", ref.token)]]))

    @verb("keepsake_dropped")
    async def _dismiss(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._table.keepsakes.dismiss(interaction.user.id, *_named(ref.token))
        await self._answer(interaction, await self._listed(interaction))

    @verb("keepsake_fetch")
    async def _fetch(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._table.keepsakes.fetch(interaction.user.id, *_named(ref.token))
        await self._answer(interaction, await self._one(interaction, *_named(ref.token)))

    async def _answer(self, interaction: Interaction[Any], shown: Shown) -> None:
        """Show it in the place of what was pressed, where nobody else sees that; else for their eyes only."""
        if is_private(interaction):
            if not interaction.response.is_done():
                await acknowledge(interaction)
            await redraw(interaction, shown)
            return
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await answer(interaction, shown)

    async def _listed(self, interaction: Interaction[Any]) -> Shown:
        rows = await self._table.keepsakes.of(interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        if not rows:
            return lay_out([words.say("keepsake.none")])
        plain = Words(Catalogue.load(language_of(interaction)), style=PLAIN)
        picks = tuple(Pick(label=row.name, value=_token(row), description=telling.brief(plain, row)) for row in rows)
        pick = Select(hint=words.say("keepsake.pick"), ref=Ref(verb="keepsake", game=0), picks=picks[:OPTIONS_MOST])
        return lay_out([f"### {words.say('keepsake.title')}", *telling.listed(words, rows)[:1], pick])

    async def _one(self, interaction: Interaction[Any], system: str, number: int) -> Shown:
        row = await self._table.keepsakes.one(interaction.user.id, system, number)
        words = Words(Catalogue.load(language_of(interaction)))
        verb = "keepsake_drop" if row.game_id is None else "keepsake_fetch"
        buttons = [
            Button(label=words.say(f"button.{one}"), ref=Ref(verb=one, game=0, token=_token(row)))
            for one in ("keepsake_name", verb)
        ]
        buttons.append(_back(words, "keepsakes"))
        return lay_out([*telling.listed(words, [row]), buttons])


def _back(words: Words, to: str, token: str = "") -> Button:
    return Button(label=words.say("button.back"), ref=Ref(verb=to, game=0, token=token))


def _token(row: KeepsakeRow) -> str:
    return f"{row.system}.{row.number}"


def _named(token: str) -> tuple[str, int]:
    """The game and the number in a token; one that may be forged names nothing."""
    system, _, number = token.rpartition(".")
    return system, int(number) if number.isascii() and number.isdecimal() and len(number) < len(str(10**4)) else 0


class _NameForm(ui.Modal):
    """A form for a name. What it sends is handled by its custom id, so that a restart loses nothing."""

    def __init__(self, words: Words, row: KeepsakeRow) -> None:
        sent = Ref(verb="keepsake_named", game=0, token=_token(row))
        super().__init__(title=words.say("button.keepsake_name")[:45], custom_id=sent.pack(), timeout=3600)
        text: ui.TextInput[_NameForm] = ui.TextInput(custom_id="text", default=row.name, max_length=NAME_MOST)
        description = words.say("keepsake.form_hint")[:100]
        self.add_item(ui.Label(text=words.say("keepsake.form_label")[:45], description=description, component=text))
