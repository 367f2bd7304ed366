"""Holds the records of battles against what the record of the game that they were played for says of them."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import structs

from bot.record import proofs
from bot.record.checking import CheckResult
from bot.record.export import GameEnding
from bot.words.i18n import Localizer
from bot.words.style import Markup


class BattleCheck(NamedTuple):
    """What came of looking at a battle's record."""

    holds: bool
    lines: tuple[Markup, ...]
    """What was proved, or the flaw."""


class BattleChecker:
    """Follows a game that holds into its battles: each must have begun and ended as it says, and counts once."""

    def __init__(self, words: Localizer, above: CheckResult) -> None:
        self._words = words
        self._left = [*above.battles]
        """Battles whose records were not looked at."""
        self._given: list[str] = []

    def begin(self) -> BattleCheck:
        """Whether the game tells of each battle once."""
        digests = [one.report.digest for one in self._left]
        twice = next((one for one in digests if digests.count(one) > 1), None)
        return BattleCheck(
            holds=twice is None, lines=(self._words.say("flaw.battle_twice", digest=twice),) if twice else ()
        )

    def take(self, seen: CheckResult, end: GameEnding | None) -> BattleCheck:
        """Hold a battle's record, and how it began and ended, against the game's.

        Nothing is claimed about one with withdrawn names: its fingerprint differs from the published one.
        """
        words = self._words
        if seen.flaw:
            return BattleCheck(
                holds=False, lines=(words.say("flaw.battle", digest=seen.digest), proofs.flaw_text(words, seen.flaw))
            )
        if seen.digest in self._given:
            return BattleCheck(holds=False, lines=(words.say("flaw.battle_twice", digest=seen.digest),))
        self._given.append(seen.digest)
        told = end and structs.replace(end.report, digest=end.withdrawn or end.report.digest)
        fits = [one for one in self._left if end and (one.setup, one.seed, one.report) == (end.setup, end.seed, told)]
        if not end or not told or not fits:
            return BattleCheck(holds=False, lines=(words.say("flaw.battle_otherwise", digest=seen.digest),))
        self._left.remove(fits[0])
        self._left += seen.battles
        said = "proof.battle_withdrawn" if end.withdrawn else "proof.battle"
        return BattleCheck(holds=True, lines=(words.say(said, request=fits[0].request, digest=told.digest),))

    def names(self, request: str) -> bool:
        """Whether the game, or a battle of it, says how this question was answered by a battle not yet looked at."""
        return any(one.request == request for one in self._left)

    def unseen(self) -> list[Markup]:
        """Which battles' records were not looked at."""
        return proofs.unchecked_battle_lines(self._words, self._left)
