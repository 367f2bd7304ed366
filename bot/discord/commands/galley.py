"""`/galley …`: all commands of captains and hosts in one group."""

from __future__ import annotations

from discord.app_commands import Group

from bot.discord.commands.admin import AdminCommands
from bot.discord.commands.ending import EndingCommands
from bot.discord.commands.extend import TimeCommands
from bot.discord.commands.family import text
from bot.discord.commands.learn import LearningCommands
from bot.discord.commands.lobby import LobbyCommands
from bot.discord.commands.looking import LookingCommands
from bot.discord.commands.me import PlayerCommands
from bot.discord.commands.orders import OrderCommands
from bot.discord.commands.ratings import RatingCommands
from bot.discord.commands.record import RecordCommands
from bot.discord.commands.substitute import SubstituteCommands
from bot.discord.presses.press import Presses
from bot.doors.table import Table


def galley(table: Table, presses: Presses) -> Group:
    """Build the group over a table, ready for the tree."""
    group = Group(name=text("command_name.galley"), description=text("command.galley"))
    families = (
        LobbyCommands(table, presses),
        OrderCommands(table, presses),
        LookingCommands(table, presses),
        LearningCommands(table, presses),
        TimeCommands(table, presses),
        PlayerCommands(table, presses),
        EndingCommands(table, presses),
        SubstituteCommands(table, presses),
        RatingCommands(table, presses),
        RecordCommands(table, presses),
    )
    for family in families:
        for command in family.commands():
            group.add_command(command)
    group.add_command(AdminCommands(table, presses).group())
    return group
