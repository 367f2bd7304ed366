"""A host's own scenario: the form that takes it, as a file or as text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord
from discord import Interaction, ui
from msgspec import UNSET

from bot.discord.ids import Ref
from bot.discord.messages.board import Button
from bot.discord.messages.quoting import quoted, typed_in
from bot.discord.presses.interactions import acknowledge, answer, data_of, form_text, language_of, offer, open_form
from bot.discord.presses.verbs import verb
from bot.discord.sending.refusals import FAILURES
from bot.doors import options
from bot.doors.options import SCENARIO_MOST
from bot.doors.table import Table
from bot.errors import Refusal
from bot.telling.lobby import example_scenario
from bot.telling.wording import words_of
from bot.words.i18n import Catalogue, Words
from rules.errors import OrderError

FORM_MOST = 4000
"""Characters that a field of a form holds (Discord)."""
QUOTED_MOST = 3000
"""Characters of a refused scenario, as it is quoted, that is shown again: a message holds 4,000."""
DROP = "-"
"""What is written to drop a scenario that is too long to be shown, and so to be emptied."""
_STAYS = "stays"
"""Marks a form that does not show the scenario there is."""


class Scenarios:
    """Takes scenarios while a lobby is open."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @verb("scenario")
    async def _ask(self, interaction: Interaction[Any], ref: Ref) -> None:
        playing = await self._table.reader.playing(ref.game)
        options.refuse_without_scenario(playing, interaction.user.id)
        text = playing.game.setup.scenario
        words = words_of(playing, language_of(interaction))
        example = example_scenario(words, playing.game.system) if text is UNSET else ""
        await open_form(interaction, _ScenarioForm(words, ref, "" if text is UNSET else text, example))

    @verb("scenario_sent")
    async def _take(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        text = await _attached(interaction) or form_text(interaction)
        if ref.token == _STAYS and not text.strip():
            playing = await self._table.reader.playing(ref.game)
            await answer(interaction, words_of(playing, language_of(interaction)).say("say.scenario_stays"))
            return
        if ref.token == _STAYS and text.strip() == DROP:
            text = ""
        with self._correctable(interaction, text, ref.game):
            playing = await self._table.lobbies.set_scenario(interaction.user.id, ref.game, text)
        words = words_of(playing, language_of(interaction))
        await answer(interaction, words.say("say.scenario_set" if text.strip() else "say.scenario_gone"))

    @contextmanager
    def _correctable(self, interaction: Interaction[Any], text: str, game_id: int) -> Iterator[None]:
        """If a scenario is refused, show it with a button that opens the form with it again, where it has room."""
        try:
            yield
        except OrderError:
            words = Words(Catalogue.load(language_of(interaction)))
            again = Button(label=words.say("button.correct"), ref=Ref(verb="scenario_again", game=game_id))
            if len(shown := quoted(text)) <= QUOTED_MOST:
                offer(interaction, "\n".join([words.say("say.you_wrote"), shown]), [again])
            raise

    @verb("scenario_again")
    async def _correct(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Open the form with what was refused."""
        playing = await self._table.reader.playing(ref.game)
        options.refuse_without_scenario(playing, interaction.user.id)
        words = words_of(playing, language_of(interaction))
        await open_form(interaction, _ScenarioForm(words, ref, typed_in(interaction.message), ""))


class _ScenarioForm(ui.Modal):
    """A form for a scenario. What it sends is handled by its custom id, so that a restart loses nothing."""

    def __init__(self, words: Words, ref: Ref, text: str, example: str) -> None:
        # An empty form doesn't delete a text that was too long for the form to show.
        shown = len(text) <= FORM_MOST
        sent = Ref(verb="scenario_sent", game=ref.game, token="" if shown else _STAYS)
        super().__init__(title=words.say("button.scenario")[:45], custom_id=sent.pack(), timeout=3600)
        file: ui.FileUpload[_ScenarioForm] = ui.FileUpload(custom_id="file", required=False, max_values=1)
        self.add_item(ui.Label(text=words.say("scenario.file")[:45], component=file))
        field: ui.TextInput[_ScenarioForm] = ui.TextInput(
            custom_id="text", style=discord.TextStyle.paragraph, max_length=FORM_MOST, required=False
        )
        field.default = (text or example[:FORM_MOST] or None) if shown else None
        hint = words.say("scenario.hint_example" if example else "scenario.hint")
        hint = hint if shown else words.say("scenario.hint_long", drop=DROP)
        self.add_item(ui.Label(text=words.say("scenario.text")[:45], description=hint[:100], component=field))


async def _attached(interaction: Interaction[Any]) -> str:
    """The text of the file that a form holds; empty if it holds none. Raises `Refusal`."""
    file = next(_files(interaction), None)
    if file is None:
        return ""
    if int(file.get("size", 0)) > SCENARIO_MOST:
        raise Refusal("scenario_too_long", most=SCENARIO_MOST // 1024)
    try:
        data: bytes = await interaction.client.http.get_from_cdn(str(file["url"]))
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("scenario_unreadable") from None
    except FAILURES as error:
        interaction.client.refusals.read(error)
        raise Refusal("not_downloaded") from error


def _files(interaction: Interaction[Any]) -> Iterator[dict[str, Any]]:
    """What was attached to a form."""
    yield from (data_of(interaction).get("resolved") or {}).get("attachments", {}).values()
