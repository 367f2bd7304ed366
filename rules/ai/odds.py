"""How often what a captain orders comes off: deeds of own ships, counted over turns that the rules carry out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from rules.core.errors import Scalar
from rules.core.view import Text

_MIN_SHOT_SHARE: Final = 0.1
"""A shot that is fired in a smaller share of all turns is not advised."""


class ExpectedAttack(NamedTuple):
    """What an own ship did to another; of its kind is the sentence `promise.<kind>`."""

    kind: str
    ship: str
    target: str


class AttackOdds(NamedTuple):
    """How often each deed was done, and how often it did harm, as parts of 1."""

    frequency: Mapping[ExpectedAttack, float]
    harm_frequency: Mapping[ExpectedAttack, float]

    def rarely_hits(self, shot: ExpectedAttack) -> bool:
        """Whether there is hardly ever anybody in range of a shot."""
        return self.frequency.get(shot, 0.0) < _MIN_SHOT_SHARE

    def is_possible(self, ship: str, to: str, *, shot: str) -> bool:
        """Whether a ship ever got to attack another otherwise than by a `shot`."""
        return any(deed.ship == ship and deed.target == to and deed.kind != shot for deed in self.frequency)


def count_attacks(turns: Iterable[Iterable[tuple[ExpectedAttack, bool]]], ships: Collection[str]) -> AttackOdds:
    """Count the deeds of these ships in some turns; each comes with whether it did harm, and then as last known."""
    done, told, count = Counter[ExpectedAttack](), Counter[ExpectedAttack](), 0
    for deeds in turns:
        count += 1
        for deed, harm in dict(deeds).items():
            if deed.ship in ships:
                done[deed] += 1
                told[deed] += harm
    return AttackOdds(*({deed: times / count for deed, times in found.items()} for found in (done, told)))


def odds_sentences(found: AttackOdds, *, shot: str, named: ExpectedAttack | None = None) -> tuple[Text, ...]:
    """How likely a deed comes off: the one that was `named`, else that from which most is to be hoped, a `shot` aside.

    Empty: none was ever possible.
    """
    tried = [deed for deed in found.frequency if deed.kind != shot]
    if not tried:
        return ()
    best = (
        named
        if named in tried
        else max(tried, key=lambda deed: (found.harm_frequency[deed], found.frequency[deed], deed))
    )
    told: dict[str, Scalar] = {
        "ship": best.ship,
        "to": best.target,
        "done": found.frequency[best],
        "told": found.harm_frequency[best],
    }
    return (Text(f"promise.{best.kind}", told),)
