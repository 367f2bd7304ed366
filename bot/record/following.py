"""Holds the records of battles against what the record of the game that they were played for says of them."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import structs

from bot.record import proofs
from bot.record.checking import CheckResult
from bot.record.export import GameEnding
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


class BattleCheck(NamedTuple):
    """What came of looking at a battle's record."""

    is_valid: bool
    lines: tuple[Markup, ...]
    """What was proved, or the flaw."""


class BattleChecker:
    """Follows a game that holds into its battles: each must have begun and ended as it says, and counts once."""

    def __init__(self, words: Localizer, above: CheckResult) -> None:
        self._words = words
        self._unchecked = [*above.battles]
        """Battles whose records were not looked at."""
        self._submitted: list[str] = []

    def check_unique(self) -> BattleCheck:
        """Whether the game tells of each battle once."""
        digests = [one.report.digest for one in self._unchecked]
        twice = next((one for one in digests if digests.count(one) > 1), None)
        return BattleCheck(
            is_valid=twice is None, lines=(self._words.say("flaw.battle_twice", digest=twice),) if twice else ()
        )

    def check_battle(self, seen: CheckResult, end: GameEnding | None) -> BattleCheck:
        """Hold a battle's record, and how it began and ended, against the game's.

        Nothing is claimed about one with withdrawn names: its fingerprint differs from the published one.
        """
        words = self._words
        if seen.flaw:
            return BattleCheck(
                is_valid=False, lines=(words.say("flaw.battle", digest=seen.digest), proofs.flaw_text(words, seen.flaw))
            )
        if seen.digest in self._submitted:
            return BattleCheck(is_valid=False, lines=(words.say("flaw.battle_twice", digest=seen.digest),))
        self._submitted.append(seen.digest)
        told = end and structs.replace(end.report, digest=end.former_digest or end.report.digest)
        fits = [
            one for one in self._unchecked if end and (one.setup, one.seed, one.report) == (end.setup, end.seed, told)
        ]
        if not end or not told or not fits:
            return BattleCheck(is_valid=False, lines=(words.say("flaw.battle_otherwise", digest=seen.digest),))
        self._unchecked.remove(fits[0])
        self._unchecked += seen.battles
        said = "proof.battle_withdrawn" if end.former_digest else "proof.battle"
        return BattleCheck(is_valid=True, lines=(words.say(said, request=fits[0].request, digest=told.digest),))

    def expects(self, request: str) -> bool:
        """Whether the game, or a battle of it, says how this question was answered by a battle not yet looked at."""
        return any(one.request == request for one in self._unchecked)

    def missing_battles(self) -> list[Markup]:
        """Which battles' records were not looked at."""
        return proofs.unchecked_battle_lines(self._words, self._unchecked)
