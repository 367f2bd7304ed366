"""List a user's keepsakes, such as crews, with buttons that rename and dismiss them."""

from __future__ import annotations

from typing import Any

from discord import ButtonStyle, Interaction, ui

from bot.discord.ids import CustomId
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    form_text,
    is_private,
    open_form,
    picked_value,
    replace_message,
    user_localizer,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.limits import MAX_HINT_CHARS, MAX_SELECT_OPTIONS, MAX_TITLE_CHARS
from bot.discord.messages.board import Button, MenuOption, RenderedMessage, SelectMenu, lay_out_message
from bot.presenters import keepsakes as keepsake_presenter
from bot.services.keepsakes import MAX_NAME_CHARS
from bot.services.table import Services
from bot.store.models.records import KeepsakeRow
from bot.texts.i18n import Localizer
from bot.texts.style import PLAIN_STYLE


class KeepsakeInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services

    @handles_verb("keepsakes")
    async def _show_list(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002 - signature of handlers
        await self._replace_or_answer(interaction, await self._lay_out_list(interaction))

    @handles_verb("keepsake")
    async def _show_keepsake(self, interaction: Interaction[Any], ref: CustomId) -> None:
        if is_private(interaction):
            await acknowledge(interaction)  # so that the list can be reset if the pick is refused
        await self._replace_or_answer(
            interaction,
            await self._lay_out_keepsake(interaction, *_parse_keepsake_token(picked_value(interaction) or ref.token)),
        )

    @handles_verb("keepsake_name")
    async def _open_name_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        row = await self._services.keepsakes.require_keepsake(interaction.user.id, *_parse_keepsake_token(ref.token))
        await open_form(interaction, _NameForm(user_localizer(interaction, PLAIN_STYLE), row))

    @handles_verb("keepsake_named")
    async def _rename_keepsake(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._services.keepsakes.rename_keepsake(
            interaction.user.id, *_parse_keepsake_token(ref.token), form_text(interaction)
        )
        await self._replace_or_answer(
            interaction, await self._lay_out_keepsake(interaction, *_parse_keepsake_token(ref.token))
        )

    @handles_verb("keepsake_drop")
    async def _confirm_dismissal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        row = await self._services.keepsakes.require_keepsake(interaction.user.id, *_parse_keepsake_token(ref.token))
        localizer = user_localizer(interaction)
        confirm = Button(
            label=localizer.say("button.keepsake_drop_now"),
            custom_id=CustomId(verb="keepsake_dropped", game=0, token=ref.token),
            style=ButtonStyle.danger,
        )
        text = localizer.say("keepsake.drop_sure", name=row.name)
        await self._replace_or_answer(
            interaction, lay_out_message([text, [confirm, _back_button(localizer, "keepsake", ref.token)]])
        )

    @handles_verb("keepsake_dropped")
    async def _dismiss_keepsake(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._services.keepsakes.delete_keepsake(interaction.user.id, *_parse_keepsake_token(ref.token))
        await self._replace_or_answer(interaction, await self._lay_out_list(interaction))

    @handles_verb("keepsake_fetch")
    async def _fetch_keepsake(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._services.keepsakes.fetch_home(interaction.user.id, *_parse_keepsake_token(ref.token))
        await self._replace_or_answer(
            interaction, await self._lay_out_keepsake(interaction, *_parse_keepsake_token(ref.token))
        )

    async def _replace_or_answer(self, interaction: Interaction[Any], message: RenderedMessage) -> None:
        if is_private(interaction):
            if not interaction.response.is_done():
                await acknowledge(interaction)
            await replace_message(interaction, message)
            return
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await answer_privately(interaction, message)

    async def _lay_out_list(self, interaction: Interaction[Any]) -> RenderedMessage:
        rows = await self._services.keepsakes.of_user(interaction.user.id)
        localizer = user_localizer(interaction)
        if not rows:
            return lay_out_message([localizer.say("keepsake.none")])
        plain = user_localizer(interaction, PLAIN_STYLE)
        options = tuple(
            MenuOption(
                label=row.name, value=_keepsake_token(row), description=keepsake_presenter.describe_keepsake(plain, row)
            )
            for row in rows
        )
        menu = SelectMenu(
            hint=localizer.say("keepsake.pick"),
            custom_id=CustomId(verb="keepsake", game=0),
            options=options[:MAX_SELECT_OPTIONS],
        )
        return lay_out_message(
            [f"### {localizer.say('keepsake.title')}", *keepsake_presenter.list_pages(localizer, rows)[:1], menu]
        )

    async def _lay_out_keepsake(self, interaction: Interaction[Any], system: str, number: int) -> RenderedMessage:
        row = await self._services.keepsakes.require_keepsake(interaction.user.id, system, number)
        localizer = user_localizer(interaction)
        last_verb = "keepsake_drop" if row.game_id is None else "keepsake_fetch"  # one that is away can be fetched
        buttons = [
            Button(
                label=localizer.say(f"button.{verb}"),
                custom_id=CustomId(verb=verb, game=0, token=_keepsake_token(row)),
            )
            for verb in ("keepsake_name", last_verb)
        ]
        buttons.append(_back_button(localizer, "keepsakes"))
        return lay_out_message([*keepsake_presenter.list_pages(localizer, [row]), buttons])


def _back_button(localizer: Localizer, to: str, token: str = "") -> Button:
    return Button(label=localizer.say("button.back"), custom_id=CustomId(verb=to, game=0, token=token))


def _keepsake_token(row: KeepsakeRow) -> str:
    return f"{row.system}.{row.number}"


def _parse_keepsake_token(token: str) -> tuple[str, int]:
    """Return the game and number in a token. The number of a forged token is 0, which no keepsake has."""
    system, _, number = token.rpartition(".")
    is_number = number.isascii() and number.isdecimal() and len(number) <= len("9999")
    return system, int(number) if is_number else 0


class _NameForm(ui.Modal):
    def __init__(self, localizer: Localizer, row: KeepsakeRow) -> None:
        custom_id = CustomId(verb="keepsake_named", game=0, token=_keepsake_token(row))
        super().__init__(title=localizer.say("button.keepsake_name")[:MAX_TITLE_CHARS], custom_id=custom_id.pack())
        text: ui.TextInput[_NameForm] = ui.TextInput(custom_id="text", default=row.name, max_length=MAX_NAME_CHARS)
        description = localizer.say("keepsake.form_hint")[:MAX_HINT_CHARS]
        self.add_item(
            ui.Label(
                text=localizer.say("keepsake.form_label")[:MAX_TITLE_CHARS], description=description, component=text
            )
        )
