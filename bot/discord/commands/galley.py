"""`/galley` for everyone, with the rarer `/galley history`, and `/galley-host` for those who run games."""

from __future__ import annotations

from discord.app_commands import Group

from bot.discord.commands.ending import EndingCommands
from bot.discord.commands.extend import TimeCommands
from bot.discord.commands.family import localized
from bot.discord.commands.host import HostCommands
from bot.discord.commands.learn import LearningCommands
from bot.discord.commands.lobby import LobbyCommands
from bot.discord.commands.looking import ViewCommands
from bot.discord.commands.me import PlayerCommands
from bot.discord.commands.orders import OrderCommands
from bot.discord.commands.ratings import RatingCommands
from bot.discord.commands.record import RecordCommands
from bot.discord.commands.substitute import SubstituteCommands
from bot.discord.interactions.router import InteractionRouter
from bot.services.table import Services

_FAMILIES = (
    LobbyCommands,
    OrderCommands,
    ViewCommands,
    LearningCommands,
    TimeCommands,
    PlayerCommands,
    EndingCommands,
    SubstituteCommands,
    RatingCommands,
    RecordCommands,
    HostCommands,
)


def command_groups(services: Services, router: InteractionRouter) -> list[Group]:
    """Return the groups `/galley` and `/galley-host`.

    `/galley-host` has no `default_member_permissions`, because many hosts are no managers of the server.
    """
    galley, history, host = (
        Group(name=localized(f"command_name.{name}"), description=localized(f"command.{name}"))
        for name in ("galley", "history", "host")
    )
    parents = {"": galley, "history": history, "host": host}
    for family in _FAMILIES:
        for name, command in family(services, router).commands().items():
            parents[name.rpartition(".")[0]].add_command(command)
    galley.add_command(history)  # last, because Discord lists them in this order
    return [galley, host]
