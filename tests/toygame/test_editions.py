"""A game gets a second edition of its rules: old games go on by the first, and new ones begin by the second."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, structs

from rules.chance import fairness
from rules.chance.dice import Dice
from rules.core.protocol import OptionSpec, Setup
from rules.core.replay import Record, RecordedStep, verify
from tests.toygame.rules.game import Toy

FIRST = Setup(system="toygame", teams=(0, 0, 0, 1), options={"packs": "all"})


class SecondEdition(Toy):
    """A toy game in which `packs` had the value `all` in the first edition, and 3 means as much today."""

    edition = 2
    options = (OptionSpec("packs", ("3", "2", "1"), "3", former_values={"all": "3"}), *Toy.options[1:])

    def seats(self, options: Mapping[str, str]) -> tuple[int, ...]:
        return super().seats({key: "3" if value == "all" else value for key, value in options.items()})


def test_a_game_of_the_only_edition_records_none() -> None:
    assert Toy().with_edition(structs.replace(FIRST, options={})).edition is UNSET


def test_a_new_game_records_the_current_edition_and_its_values() -> None:
    today = SecondEdition().with_edition(FIRST)
    assert (today.edition, today.options["packs"]) == (2, "3")


def test_a_game_of_an_earlier_edition_keeps_its_values() -> None:
    rules = SecondEdition()
    rules.check_edition(FIRST)
    assert rules.option_values(FIRST, "TG")["packs"] == "all"
    assert rules.start(FIRST, Dice(seed="00")).state.teams == FIRST.teams


def test_a_record_of_an_unknown_edition_is_not_verified() -> None:
    setup, secret = SecondEdition().with_edition(FIRST), "11" * 32
    record = Record(
        setup=setup,
        seed=secret,
        seed_commitment=fairness.hash_seed(secret),
        steps=(RecordedStep(events=()),),
        scheme=fairness.NEWEST_SCHEME,
        words=(None,) * 4,
    )
    flaw = verify(Toy(), record)
    assert flaw is not None
    assert (flaw.what, "1 editions" in flaw.piece) == ("answer", True)
