"""Finding in a server's audit log who locked a thread or took a permission from the bot, if the bot may read it."""

from __future__ import annotations

from typing import Final

import discord

from bot.discord.delivery.refusals import REQUEST_ERRORS, ParseRefusal
from bot.store.models.records import Game

MAX_ENTRIES: Final = 100  # as many as one request returns


class ServerAuditLog:
    def __init__(self, client: discord.Client, parse_refusal: ParseRefusal) -> None:
        self._client = client
        self._parse_refusal = parse_refusal

    async def find_culprit(self, game: Game, problem: str) -> int | None:
        """Return the user who caused `problem` ("locked" or a permission that the bot lacks); None if not known."""
        guild = self._client.get_guild(game.guild_id)
        if guild is None or not guild.me.guild_permissions.view_audit_log:
            return None
        try:
            async for entry in guild.audit_logs(limit=MAX_ENTRIES):
                if _is_cause(entry, guild.me, game, problem):
                    return entry.user_id
        except REQUEST_ERRORS as error:
            self._parse_refusal(error)
        return None


def _is_cause(entry: discord.AuditLogEntry, me: discord.Member, game: Game, problem: str) -> bool:
    """Return whether an entry locked the game's thread, or took the permission `problem` from the bot (`me`)."""
    target_id = getattr(entry.target, "id", None)
    actions = discord.AuditLogAction
    match entry.action:
        case actions.thread_update:
            return problem == "locked" and target_id == game.thread_id and bool(getattr(entry.after, "locked", False))
        case actions.overwrite_create | actions.overwrite_update:
            own_ids = {me.id, *(role.id for role in me.roles)}  # @everyone is one of the bot's roles
            concerns_bot = target_id == game.channel_id and getattr(entry.extra, "id", None) in own_ids
            return (
                concerns_bot
                and _includes_permission(entry.after, "deny", problem)
                and not _includes_permission(entry.before, "deny", problem)
            )
        case actions.role_update:
            is_lost = _includes_permission(entry.before, "permissions", problem) and not _includes_permission(
                entry.after, "permissions", problem
            )
            return target_id in {role.id for role in me.roles} and is_lost
        case actions.member_role_update:
            roles = getattr(entry.before, "roles", None) or []
            return target_id == me.id and any(getattr(role.permissions, problem, False) for role in roles)
    return False


def _includes_permission(diff: discord.AuditLogDiff, field: str, permission: str) -> bool:
    permissions = getattr(diff, field, None)
    return permissions is not None and bool(getattr(permissions, permission, False))
