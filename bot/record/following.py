"""Compare the records of battles with the record of their parent game."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import structs

from bot.record import proofs
from bot.record.checking import CheckResult
from bot.record.export import GameEnding
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


class BattleCheck(NamedTuple):
    is_valid: bool  # whether nothing contradicts the parent game's record
    lines: tuple[Markup, ...]  # the result in words


class BattleChecker:
    """Compares a flawless record's battles with their own records. Each record counts once."""

    def __init__(self, localizer: Localizer, parent_result: CheckResult) -> None:
        self._localizer = localizer
        self._unchecked = [*parent_result.battles]
        self._submitted: list[str] = []  # digests of the records checked so far

    def check_unique(self) -> BattleCheck:
        digests = [battle.report.digest for battle in self._unchecked]
        repeated_digest = next((digest for digest in digests if digests.count(digest) > 1), None)
        return BattleCheck(
            is_valid=repeated_digest is None,
            lines=(self._localizer.say("flaw.battle_twice", digest=repeated_digest),) if repeated_digest else (),
        )

    def check_battle(self, result: CheckResult, end: GameEnding | None) -> BattleCheck:
        """Compare a battle's record, and how it began and ended, with the parent game's record.

        A battle with withdrawn names is not verified, because its digest differs from the published one.
        """
        localizer = self._localizer
        if result.flaw:
            return BattleCheck(
                is_valid=False,
                lines=(localizer.say("flaw.battle", digest=result.digest), proofs.flaw_text(localizer, result.flaw)),
            )
        if result.digest in self._submitted:
            return BattleCheck(is_valid=False, lines=(localizer.say("flaw.battle_twice", digest=result.digest),))
        self._submitted.append(result.digest)
        # The parent game's record holds the digest from before names were withdrawn.
        report = end and structs.replace(end.report, digest=end.former_digest or end.report.digest)
        matching_battles = [
            battle
            for battle in self._unchecked
            if end and (battle.setup, battle.seed, battle.report) == (end.setup, end.seed, report)
        ]
        if not end or not report or not matching_battles:
            return BattleCheck(is_valid=False, lines=(localizer.say("flaw.battle_otherwise", digest=result.digest),))
        self._unchecked.remove(matching_battles[0])
        self._unchecked += result.battles
        key = "proof.battle_withdrawn" if end.former_digest else "proof.battle"
        line = localizer.say(key, request=matching_battles[0].request, digest=report.digest)
        restored = proofs.restored_lines(localizer, result.proof)
        recomputed = proofs.recomputation_lines(localizer, result.recomputation)
        return BattleCheck(is_valid=True, lines=(line, *restored, *recomputed))

    def expects(self, request: str) -> bool:
        return any(battle.request == request for battle in self._unchecked)

    def missing_battles(self) -> list[Markup]:
        return proofs.unchecked_battle_lines(self._localizer, self._unchecked)
