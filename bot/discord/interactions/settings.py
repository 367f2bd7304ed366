"""The private message with a user's settings, and what changes them: its lists, buttons and forms."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from babel import Locale
from discord import Interaction, ui

from bot.discord.ids import CustomId
from bot.discord.interactions import mine
from bot.discord.interactions.responses import (
    acknowledge,
    form_text,
    open_form,
    picked_value,
    player_from_user,
    replace_message,
    user_localizer,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.limits import MAX_HINT_CHARS, MAX_TITLE_CHARS
from bot.discord.messages.board import Button, LayoutBlock, MenuOption, RenderedMessage, SelectMenu, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.errors import Refusal
from bot.presenters import times
from bot.services import preferences
from bot.services.table import Services
from bot.store.models.pace import format_clock
from bot.store.models.records import Player
from bot.texts import zones
from bot.texts.i18n import Catalogue, Localizer, language_for_locale, languages
from bot.texts.style import PLAIN_STYLE
from bot.texts.whole import playable_systems

ABSENCE_DAYS: Final = (1, 2, 3, 7, 10, 14, 21, 28)
_SETTINGS: Final = ("language", "zone", "quiet", "reminders", "away", "standing")
_FORMS: Final = ("zone", "quiet")
_OTHER_DAYS: Final = "other"
_STANDING: Final = "standing"


class SettingInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services

    @handles_verb("me_pick")
    async def _pick(self, interaction: Interaction[Any], ref: CustomId) -> None:
        value = picked_value(interaction) or ""
        if ref.token == _STANDING or (ref.token == "away" and value == _OTHER_DAYS):  # noqa: S105 - no secret
            await self._open(interaction, f"{_STANDING}.{value}" if ref.token == _STANDING else "away")
            return
        await self._change(interaction, ref.token, value)

    @handles_verb("me_form")
    async def _open_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._open(interaction, ref.token)

    async def _open(self, interaction: Interaction[Any], setting: str) -> None:
        stored = await self._services.reader.players.find_player(interaction.user.id)
        await open_form(interaction, _SettingForm(user_localizer(interaction, PLAIN_STYLE), stored, setting))

    @handles_verb("me_sent")
    async def _read_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._change(interaction, ref.token, form_text(interaction))

    async def _change(self, interaction: Interaction[Any], setting: str, text: str) -> None:
        await acknowledge(interaction)
        stored = await self._services.reader.players.find_player(interaction.user.id)
        setting, _, system = setting.partition(".")
        if setting not in _SETTINGS:
            raise Refusal("stale")
        if setting == _STANDING:
            changes: dict[str, Any] = {"standing": preferences.merge_standing_orders(stored, system, text or "-")}
        else:
            changes = preferences.read_settings(stored, {setting: text or "-"}, self._services.now())
        player = player_from_user(interaction.user, str(interaction.locale))
        stored = await self._services.preferences.change_preferences(player, **changes)
        await replace_message(interaction, await lay_out_settings(self._services, interaction, stored))


async def lay_out_settings(services: Services, interaction: Interaction[Any], player: Player) -> RenderedMessage:
    language = language_for_locale(player.chosen_locale or str(interaction.locale))
    localizer = Localizer(Catalogue.load(language))
    now = services.now()
    has_keepsakes = bool(await services.keepsakes.of_user(interaction.user.id))
    labels = label_localizer(localizer)
    forms = [Button(label=labels.say(f"me.button.{name}"), custom_id=_ref("me_form", name)) for name in _FORMS]
    blocks: list[LayoutBlock] = ["\n".join(_format_settings(localizer, player, now))]
    blocks += [_language_menu(labels, player), _reminder_menu(labels, player), _absence_menu(labels, player, now)]
    blocks += [_standing_menu(labels, player), forms]
    return lay_out_message([*blocks, mine.privacy_buttons(localizer, has_keepsakes=has_keepsakes)])


def _ref(verb: str, setting: str) -> CustomId:
    return CustomId(verb=verb, game=0, token=setting)


def _menu(localizer: Localizer, setting: str, options: list[MenuOption]) -> SelectMenu:
    return SelectMenu(
        hint=localizer.say(f"me.list.{setting}"), custom_id=_ref("me_pick", setting), options=tuple(options)
    )


def _language_menu(localizer: Localizer, player: Player) -> SelectMenu:
    names = {language: str(Locale.parse(language).get_display_name(language)) for language in languages()}
    values = {preferences.DISCORD_LANGUAGE: localizer.say("me.list.as_discord"), **names}
    chosen = player.chosen_locale or preferences.DISCORD_LANGUAGE
    options = [MenuOption(label=name, value=value, is_chosen=value == chosen) for value, name in values.items()]
    return _menu(localizer, "language", options)


def _reminder_menu(localizer: Localizer, player: Player) -> SelectMenu:
    options = [
        MenuOption(
            label=localizer.say("me.list.reminders_as", habit=habit), value=habit, is_chosen=habit == player.reminders
        )
        for habit in preferences.REMINDER_HABITS
    ]
    return _menu(localizer, "reminders", options)


def _absence_menu(localizer: Localizer, player: Player, now: int) -> SelectMenu:
    days = [MenuOption(label=name, value=value) for value, name in absence_choices(localizer, player, now)]
    return _menu(localizer, "away", [*days, MenuOption(label=localizer.say("me.list.other_days"), value=_OTHER_DAYS)])


def _standing_menu(localizer: Localizer, player: Player) -> SelectMenu:
    games = {system: Catalogue.load(localizer.catalogue.language, system).say("game") for system in playable_systems()}
    options = [
        MenuOption(label=str(name), value=system, description=player.standing.get(system, ""))
        for system, name in games.items()
    ]
    return _menu(localizer, _STANDING, options)


def absence_choices(localizer: Localizer, player: Player | None, now: int) -> list[tuple[str, str]]:
    """Return lengths of an absence that begins now, as values to be typed and their names."""
    today = datetime.fromtimestamp(now, zones.time_zone(preferences.zone_of(player))).date()
    choices: list[tuple[str, str]] = [("no", localizer.say("me.not_away"))]
    for days in ABSENCE_DAYS:
        until = (today + timedelta(days=days)).isoformat()
        length = times.duration_text(localizer, days * 86_400)
        choices.append((until, localizer.say("me.away_until", day=until, length=length)))
    return choices


class _SettingForm(ui.Modal):
    def __init__(self, localizer: Localizer, player: Player | None, setting: str) -> None:
        name, _, system = setting.partition(".")
        if name not in (*_FORMS, "away", _STANDING) or (name == _STANDING and system not in playable_systems()):
            raise Refusal("stale")
        label = localizer.say(f"me.form.{name}")
        if system:
            label = Catalogue.load(localizer.catalogue.language, system).say("game")
        super().__init__(
            title=localizer.say(f"me.form.{name}")[:MAX_TITLE_CHARS], custom_id=_ref("me_sent", setting).pack()
        )
        text: ui.TextInput[Any] = ui.TextInput(
            custom_id="text",
            default=_typed_setting(player, name, system) or None,
            max_length=preferences.MAX_STANDING_ORDERS_CHARS,
            required=False,
        )
        hint = localizer.say(f"param.{name}")
        self.add_item(ui.Label(text=label[:MAX_TITLE_CHARS], description=hint[:MAX_HINT_CHARS], component=text))


def _typed_setting(player: Player | None, name: str, system: str) -> str:
    if player is None:
        return ""
    if name == "quiet" and player.quiet_from is not None and player.quiet_to is not None:
        return f"{format_clock(player.quiet_from)}-{format_clock(player.quiet_to)}"
    return {"zone": player.zone or "", _STANDING: player.standing.get(system, "")}.get(name, "")


def _format_settings(localizer: Localizer, player: Player, now: int) -> list[str]:
    locale = Locale.parse(localizer.catalogue.language)
    language = str(locale.get_display_name(locale))
    lines = [f"### {localizer.say('me.title')}", localizer.say("me.language", language=language)]
    lines.append(localizer.say("me.zone", zone=player.zone) if player.zone else localizer.say("me.no_zone"))
    if player.quiet_from is not None and player.quiet_to is not None:
        quiet = {
            "begin": format_clock(player.quiet_from),
            "end": format_clock(player.quiet_to),
            "zone": preferences.zone_of(player),
        }
        lines.append(localizer.say("me.quiet", **quiet))
    else:
        lines.append(localizer.say("me.no_quiet"))
    lines.append(localizer.say("me.reminders", habit=player.reminders))
    if player.away_from is not None and player.away_to is not None and player.away_to > now:
        lines.append(localizer.say("me.away", since=player.away_from, until=player.away_to))
    for system in sorted(player.standing.keys() & {*playable_systems()}):
        localizer_of_game = Localizer(Catalogue.load(localizer.catalogue.language, system))
        lines.append(
            localizer_of_game.say("me.standing", system=localizer_of_game.say("game"), text=player.standing[system])
        )
    fields = [localizer.say(f"param_name.{name}") for name in _SETTINGS]
    lines.append(localizer.style.small(localizer.say("me.how", fields=fields)))
    return lines
