"""`/galley …`: all commands of captains and hosts in one group."""

from __future__ import annotations

from discord.app_commands import Group

from bot.commands.admin import AdminCommands
from bot.commands.ending import EndingCommands
from bot.commands.extend import TimeCommands
from bot.commands.family import text
from bot.commands.learn import LearningCommands
from bot.commands.lobby import LobbyCommands
from bot.commands.looking import LookingCommands
from bot.commands.me import PlayerCommands
from bot.commands.orders import OrderCommands
from bot.commands.ratings import RatingCommands
from bot.commands.record import RecordCommands
from bot.commands.substitute import SubstituteCommands
from bot.panels.press import Presses
from bot.table import Table


def galley(table: Table, presses: Presses, *, phase_length: str) -> Group:
    """Build the group over a table, ready for the tree."""
    group = Group(name=text("command_name.galley"), description=text("command.galley"))
    families = (
        LobbyCommands(table, presses, phase_length=phase_length),
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
