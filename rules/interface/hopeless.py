"""Sides that hardly ever win any more, by their share of the strength of all, which is public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

import msgspec
from msgspec import Struct

from rules.core.protocol import Seat


class HopelessShares(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shares (0 to 1) at or below which a side wins fewer than 2 of 100 games, as measured for some battles."""

    option: str = ""  # the option whose values are battles; empty: nothing has been measured
    shares: dict[str, float] = {}  # by battle

    @classmethod
    def read(cls, package: str) -> HopelessShares:
        """Return the shares in `data/hopeless.toml` of a package."""
        return msgspec.toml.decode(files(package).joinpath("data", "hopeless.toml").read_bytes(), type=cls)


def side_shares(strengths: Mapping[Seat, float], teams: Sequence[int]) -> dict[int, float]:
    """Return each team's share (0 to 1) of the strength of all seats; empty if nobody has any strength.

    `strengths` are those of `Ruleset.seat_strengths`, `teams` the team of each seat.
    """
    total = sum(strengths.values())
    if total <= 0:
        return {}
    shares = dict.fromkeys(teams, 0.0)
    for seat, strength in strengths.items():
        shares[teams[seat]] += strength / total
    return shares


def hopeless_seats(strengths: Mapping[Seat, float], teams: Sequence[int], max_share: float) -> tuple[Seat, ...]:
    """Return the seats of teams whose share is at most `max_share`; none if that is 0 or nobody has any strength."""
    shares = side_shares(strengths, teams) if max_share else {}
    return tuple(seat for seat, team in enumerate(teams) if shares and shares[team] <= max_share)
