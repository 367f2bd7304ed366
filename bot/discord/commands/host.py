"""`/galley-host …`: repairing a game, for its host and the server's managers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar

import discord
from babel import Locale
from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, make_choice, make_suggestion, set_autocomplete
from bot.discord.delivery.where import require_usable_channel
from bot.discord.interactions.responses import (
    answer_in_pages,
    answer_privately,
    caller_of,
    player_from_user,
    user_language,
    user_localizer,
)
from bot.discord.limits import MAX_CHOICES
from bot.discord.messages.board import lay_out_message
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.pages.folder import archive_address, page_address
from bot.presenters import times
from bot.presenters.acts import log_entry_text
from bot.presenters.wording import game_localizer, game_title
from bot.services.pages import PageWriter
from bot.services.repair import refuse_unless_in_charge
from bot.store.models.records import OutboxMessage, Player, ServerRow
from bot.texts import durations
from bot.texts.i18n import Catalogue, Localizer, language_for_locale, languages
from bot.texts.style import PLAIN_STYLE, Markup

_MAX_LOG_ENTRIES = 40


_SERVER_LANGUAGE = "server"
_ARCHIVE = "archive"


def _language_name(language: str) -> str:
    locale = Locale.parse(language)
    return str(locale.get_display_name(locale))


class HostCommands(CommandFamily):
    """Commands of hosts and managers. Each checks its user itself, because many hosts are no managers."""

    names: ClassVar = (
        "host.pause",
        "host.resume",
        "host.extend",
        "host.replace",
        "host.kick",
        "host.resolve",
        "host.undo",
        "host.end",
        "host.repost",
        "host.log",
        "host.settings",
        "host.page",
    )

    def option_values(self) -> dict[str, list[Choice[str]]]:
        return {
            "threads": [
                make_choice("settings.as_server", _SERVER_LANGUAGE),
                *(Choice(name=_language_name(language), value=language) for language in languages()),
            ],
            "renew": [make_choice("renew.game", "game"), make_choice("renew.archive", _ARCHIVE)],
        }

    def build_command(
        self, name: str, callback: Callable[..., Awaitable[None]]
    ) -> app_commands.Command[Any, ..., None]:
        command = super().build_command(name, callback)
        options = {option.name for option in command.parameters}
        if "whose" in options:
            set_autocomplete(command, "whose", self._suggest_captain)
        if "by" in options:
            set_autocomplete(command, "by", self._suggest_extension)
        return command

    async def _pause(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game(interaction, game)
        is_paused = await self.services.repair.pause_game(caller_of(interaction), game_id)
        await self.say(interaction, "say.done" if is_paused else "say.pause_asked")

    async def _resume(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game(interaction, game)
        is_running = await self.services.repair.resume_game(caller_of(interaction), game_id)
        await self.say(interaction, "say.done" if is_running else "say.resume_asked")

    async def _extend(self, interaction: Interaction[Any], by: str | None = None, game: str | None = None) -> None:
        seconds = durations.parse_duration(by) if by else None
        is_extended = await self.services.repair.extend_deadlines(
            caller_of(interaction), await self.find_game(interaction, game), seconds
        )
        await self.say(interaction, "say.done" if is_extended else "say.extension_asked")

    async def _replace(
        self, interaction: Interaction[Any], whose: str, substitute: discord.User, game: str | None = None
    ) -> None:
        game_id = await self.find_game(interaction, game)
        seat = _parse_seat(await self.services.reader.games.seated_game(game_id), whose)
        new_captain = _require_member(interaction, substitute)
        await self.services.repair.replace_captain(caller_of(interaction), game_id, seat, new_captain)
        await self.say(interaction, "say.replaced", name=new_captain.name)

    async def _kick(
        self, interaction: Interaction[Any], whose: str, *, to_computer: bool = False, game: str | None = None
    ) -> None:
        game_id = await self.find_game(interaction, game, phases=("lobby", "running", "resolving"))
        seated_game = await self.services.reader.games.seated_game(game_id)
        seat = _parse_seat(seated_game, whose)
        if seated_game.game.is_lobby and await self.router.lobby_interactions.confirm_removal(
            interaction, seated_game, seat
        ):
            return
        await self.services.repair.kick_captain(caller_of(interaction), game_id, seat, computer=to_computer)
        await self.say(interaction, "say.kicked")

    async def _resolve(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game(interaction, game)
        is_resolved = await self.services.repair.resolve_now(caller_of(interaction), game_id)
        await self.say(interaction, "say.resolved" if is_resolved else "say.resolve_asked")

    async def _undo(
        self,
        interaction: Interaction[Any],
        to_round: app_commands.Range[int, 0, 9999] | None = None,
        game: str | None = None,
    ) -> None:
        game_id = await self.find_game(interaction, game)
        is_undone = await self.services.repair.undo_to(caller_of(interaction), game_id, to_round)
        await self.say(interaction, "say.undone" if is_undone else "say.undo_asked")

    async def _end(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game(interaction, game, phases=("lobby", "running", "resolving"))
        await self.services.repair.end_game(caller_of(interaction), game_id)
        await self.say(interaction, "say.done")

    async def _repost(self, interaction: Interaction[Any], game: str | None = None) -> None:
        """Post a game's messages again. If its channel was deleted, move it to the channel of the command."""
        game_id = await self.find_game(interaction, game, phases=("lobby", "running", "resolving"))
        game_row = (await self.services.reader.games.seated_game(game_id)).game
        if await _is_deleted(interaction, game_row.channel_id):
            guild, channel_id = require_usable_channel(interaction)
            if guild.id != game_row.guild_id:
                raise Refusal("foreign_game")
            await self.services.servers.refuse_forbidden_channel(guild.id, channel_id)
            await self.services.repair.move_to_channel(caller_of(interaction), game_id, channel_id)
        else:
            is_thread_deleted = await _is_deleted(interaction, game_row.thread_id)
            caller, repair = caller_of(interaction), self.services.repair
            messages, only_lost = await repair.messages_to_repost(caller, game_id, thread_lost=is_thread_deleted)
            lost = [message.id for message in messages if only_lost and await _is_lost(interaction, message)]
            await repair.repost_messages(caller, game_id, thread_lost=is_thread_deleted, lost_ids=lost)
        await self.say(interaction, "say.reposted")

    async def _log(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game(interaction, game)
        seated_game, log_entries = await self.services.repair.audit_log(caller_of(interaction), game_id)
        localizer = game_localizer(seated_game, user_language(interaction))
        lines = [f"### {game_title(localizer, seated_game)}"]
        latest_entries = log_entries[-_MAX_LOG_ENTRIES:]
        lines += [
            localizer.say("admin.log_line", when=entry.at, what=log_entry_text(localizer, entry))
            for entry in latest_entries
        ]
        if not log_entries:
            lines.append(localizer.say("admin.log_empty"))
        await answer_in_pages(interaction, lines)

    async def _settings(
        self,
        interaction: Interaction[Any],
        *,
        creators: discord.Role | None = None,
        everybody: bool = False,
        allow: discord.TextChannel | None = None,
        forbid: discord.TextChannel | None = None,
        anywhere: bool = False,
        most_games: app_commands.Range[int, 0, 1000] | None = None,
        threads: str | None = None,
        pages: bool | None = None,
    ) -> None:
        guild = interaction.guild
        if guild is None:
            raise Refusal("guild_only")
        caller = caller_of(interaction)
        server = await self.services.servers.settings(caller, guild.id)
        changes: dict[str, Any] = {}
        if creators or everybody:
            everyone = everybody or creators == guild.default_role
            changes["creators_id"] = None if everyone or creators is None else creators.id
        if allow or forbid or anywhere:
            changes["channels"] = _changed_channels(() if anywhere else server.channels, allow, forbid)
        if most_games is not None:
            changes["most_games"] = most_games or None  # 0 removes the limit
        if threads is not None:
            changes["locale"] = None if threads == _SERVER_LANGUAGE else language_for_locale(threads)
        page_writer = interaction.client.pages
        if pages is not None:
            if page_writer is None:
                raise Refusal("no_pages")
            changes["pages"] = pages
        if changes:
            server = await self.services.servers.change_settings(
                caller, guild.id, spoken=language_for_locale(str(guild.preferred_locale)), **changes
            )
        if pages is not None:
            await interaction.client.update_pages(guild.id)
            server = await self.services.servers.settings(caller, guild.id)  # its archive may be gone
        await answer_privately(
            interaction, lay_out_message(["\n".join(_format_settings(user_language(interaction), server, page_writer))])
        )

    async def _page(self, interaction: Interaction[Any], renew: str | None = None, game: str | None = None) -> None:
        """Show the address of a game's page, or give a new one to it or to the server's archive."""
        page_writer, caller = interaction.client.pages, caller_of(interaction)
        game_id = None if renew == _ARCHIVE else await self.find_game_to_read(interaction, game)
        if page_writer is None:
            raise Refusal("no_pages")
        if game_id is None:
            guild_id = interaction.guild_id or 0
            await self.services.servers.settings(caller, guild_id)
            key = await page_writer.archives.renew_key(guild_id)
            if key is None:
                raise Refusal("no_archive")
            address = archive_address(page_writer.public_url, key)
        else:
            seated_game = await self.services.reader.games.seated_game(game_id)
            refuse_unless_in_charge(seated_game, caller)
            key = await page_writer.renew_key(game_id) if renew else seated_game.game.shown_page_key
            if key is None:
                raise Refusal("no_page")
            address = page_address(page_writer.public_url, key)
        await self.say(interaction, "say.renewed_page" if renew else "say.page", address=Markup(address))

    async def _suggest_captain(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        try:
            seated_game = await self.services.reader.games.seated_game(
                await self.find_game(interaction, interaction.namespace.game)
            )
        except Refusal:
            return []
        names = self._captain_names(seated_game, user_language(interaction))
        matches = [(seat, name) for seat, name in names.items() if typed.strip().lower() in name.lower()]
        return [make_suggestion(name, f"#{seat + 1}") for seat, name in matches[:MAX_CHOICES]]

    async def _suggest_extension(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        localizer = user_localizer(interaction, PLAIN_STYLE)
        try:
            seated_game = await self.services.reader.games.seated_game(
                await self.find_game(interaction, interaction.namespace.game)
            )
        except Refusal:
            return []
        suggestions = durations.suggest_durations(typed, seated_game.game.pace.phase_length_s)[:MAX_CHOICES]
        return [
            make_suggestion(times.duration_text(localizer, seconds), durations.format_duration(seconds))
            for seconds in suggestions
        ]

    def _captain_names(self, seated_game: SeatedGame, language: str) -> dict[int, str]:
        localizer = Localizer(Catalogue.load(language), game_localizer(seated_game, language).names, style=PLAIN_STYLE)
        return {seat: localizer.say("admin.seat", number=seat + 1, seat=seat) for seat in localizer.names}


def _changed_channels(
    channels: Sequence[int], allow: discord.TextChannel | None, forbid: discord.TextChannel | None
) -> tuple[int, ...]:
    """Return the ids of the channels in which games may be opened from now on. Raises `Refusal`."""
    changed = {*channels, *([allow.id] if allow else [])}
    if forbid:
        if not (forbid.id in changed and len(changed) > 1):
            raise Refusal("cannot_forbid", channel=Markup(forbid.mention))
        changed.remove(forbid.id)
    return tuple(sorted(changed))


async def _is_deleted(interaction: Interaction[Any], place_id: int | None) -> bool:
    if place_id is None:
        return False
    try:
        await interaction.client.fetch_channel(place_id)
    except (discord.NotFound, discord.Forbidden) as error:
        interaction.client.refusals.parse_refusal(error)
        return isinstance(error, discord.NotFound)  # forbidden means that it exists but the bot cannot see it
    return False


async def _is_lost(interaction: Interaction[Any], message: OutboxMessage) -> bool:
    if message.message_id is None or message.channel_id is None:
        return message.user_id is None  # that somebody else has a panel may be secret
    try:
        await interaction.client.http.get_message(message.channel_id, message.message_id)
    except (discord.NotFound, discord.Forbidden) as error:
        interaction.client.refusals.parse_refusal(error)
        return isinstance(error, discord.NotFound)
    return False


def _format_settings(language: str, server: ServerRow, page_writer: PageWriter | None) -> list[str]:
    localizer = Localizer(Catalogue.load(language))
    role = Markup(f"<@&{server.creators_id}>") if server.creators_id else localizer.say("settings.everybody")
    channels = [Markup(f"<#{channel}>") for channel in server.channels] or localizer.say("settings.anywhere")
    game_limit = str(server.most_games) if server.most_games is not None else localizer.say("settings.no_limit")
    thread_language = _language_name(server.locale) if server.locale else localizer.say("settings.as_server")
    has_pages = page_writer is not None and page_writer.is_on(server)
    archive = (
        Markup(archive_address(page_writer.public_url, server.page_key)) if page_writer and server.page_key else None
    )
    return [
        f"### {localizer.say('settings.title')}",
        localizer.say("settings.creators", who=role),
        localizer.say("settings.channels", channels=channels),
        localizer.say("settings.most_games", most=game_limit),
        localizer.say("settings.threads", language=thread_language),
        localizer.say("settings.pages_on" if has_pages else "settings.pages_off"),
        *([localizer.say("settings.archive", address=archive)] if archive else []),
    ]


def _parse_seat(seated_game: SeatedGame, typed: str) -> int:
    """Return the seat of a number such as `#2`, a captain's name, or a mention. Raises `Refusal`."""
    text = typed.strip()
    if text.startswith("#") and text.isascii() and text[1:].isdecimal():
        seat_number = int(text[1:6])  # counted from 1; a longer number is cut, because it is too large anyway
        if 0 < seat_number <= len(seated_game.seats):
            return seat_number - 1
    names = seated_game.seat_names("")
    seats = [
        seat.seat
        for seat in seated_game.seats
        if seat.user_id and (text.strip("<@!>") == str(seat.user_id) or text.lower() == names[seat.seat].lower())
    ]
    if len(seats) != 1:
        raise Refusal("no_such_captain", piece=typed)
    return seats[0]


def _require_member(interaction: Interaction[Any], user: discord.User | discord.Member) -> Player:
    """Return a server member as a player. Raises `Refusal` for bots and for users who are not on this server."""
    if user.bot:
        raise Refusal("is_bot")
    if not isinstance(user, discord.Member):
        raise Refusal("not_member", who=Markup(user.mention))
    return player_from_user(user, str(interaction.guild_locale or interaction.locale))
