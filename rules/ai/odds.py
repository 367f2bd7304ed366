"""Estimate how likely attacks of own ships succeed, by counting over simulated turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from rules.core.errors import Scalar
from rules.core.view import Text

_MIN_SHOT_SHARE: Final = 0.1  # a shot that occurs in a smaller share of turns is not advised


class ExpectedAttack(NamedTuple):
    """An attack by an own ship. The catalogue key of its sentence is `promise.<kind>`."""

    kind: str  # the kind of attack, such as a ram
    ship: str  # id of the attacking ship
    target: str  # id of the attacked ship


class AttackOdds(NamedTuple):
    """The share of turns, from 0 to 1, in which each attack occurred, and in which it did harm."""

    frequency: Mapping[ExpectedAttack, float]  # share of turns in which the attack occurred, from 0 to 1
    harm_frequency: Mapping[ExpectedAttack, float]  # share of turns in which the attack did harm, from 0 to 1

    def rarely_hits(self, shot: ExpectedAttack) -> bool:
        """Return whether a shot hardly ever has a target in range."""
        return self.frequency.get(shot, 0.0) < _MIN_SHOT_SHARE

    def is_possible(self, ship: str, to: str, *, shot_kind: str) -> bool:
        """Return whether a ship ever attacked another. Attacks of the kind `shot_kind` do not count."""
        return any(
            attack.ship == ship and attack.target == to and attack.kind != shot_kind for attack in self.frequency
        )


def count_attacks(turns: Iterable[Iterable[tuple[ExpectedAttack, bool]]], ships: Collection[str]) -> AttackOdds:
    """Count the attacks of these ships over several turns. Each attack comes with whether it did harm.

    If an attack occurs more than once in a turn, the last entry counts.
    """
    occurred = Counter[ExpectedAttack]()
    harmed = Counter[ExpectedAttack]()
    turn_count = 0
    for attacks in turns:
        turn_count += 1
        for attack, did_harm in dict(attacks).items():
            if attack.ship in ships:
                occurred[attack] += 1
                harmed[attack] += did_harm
    return AttackOdds(
        frequency={attack: times / turn_count for attack, times in occurred.items()},
        harm_frequency={attack: times / turn_count for attack, times in harmed.items()},
    )


def odds_sentences(odds: AttackOdds, *, shot_kind: str, named: ExpectedAttack | None = None) -> tuple[Text, ...]:
    """Return a sentence with the odds of the attack that was `named`, else of the one most likely to do harm.

    `shot_kind` is the game's name for the kind of attack that is left out. Empty: no other attack ever occurred.
    """
    attacks = [attack for attack in odds.frequency if attack.kind != shot_kind]
    if not attacks:
        return ()
    described = max(attacks, key=lambda attack: (odds.harm_frequency[attack], odds.frequency[attack], attack))
    if named in attacks:
        described = named
    params: dict[str, Scalar] = {
        "ship": described.ship,
        "to": described.target,
        "done": odds.frequency[described],
        "told": odds.harm_frequency[described],
    }
    return (Text(f"promise.{described.kind}", params),)
