"""A whole season of computer captains whose names are nobody's friend, and its chronicle as a page."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from msgspec import structs

from bot.jobs.stored import encode
from bot.jobs.turning import PlayedStep, analyse_end
from bot.jobs.values import PictureStyle
from bot.jobs.workers import Workers
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import chronicle
from bot.presenters.chronicle import ChronicleContent, ChronicleFacts, FoughtBattle
from bot.presenters.ending import EndFacts
from bot.presenters.keepsakes import KeepsakeFacts
from bot.presenters.wording import game_localizer
from bot.record.chapters import ChapterContent
from rules.campaign import GAME
from rules.campaign.engine.sea.state import SeaBattle as Met
from rules.campaign.interface.game_flow import battle_setup
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Event, Setup
from rules.core.registry import RULESETS
from tests.bot.lifecycle.test_planning import game, seat

NAMES = (
    "<script>document.title = 'x'</script>",
    "Cili & co",
    "A captain whose name is as long as names may be",
    "béla",
)
TURNS = 12


class _Here:
    async def run_rules(self, job: Any, *args: Any) -> Any:
        return job(*args)

    run_picture = run_rules


def sailed() -> tuple[Setup, list[Any], list[tuple[Event, ...]]]:
    """Return the states of a season on the ring, and the events that led to each."""
    options = {"map": "ring", "players": "4", "turns": str(TURNS)}
    setup = Setup(system="campaign", teams=GAME.seats(options), options=options)
    steps = [GAME.start(setup, Dice(seed="5e"))]
    while GAME.result(state := steps[-1].state) is None:
        requests = [request for request in GAME.pending_requests(state) if request.battle is None]
        answers = {
            request.id: GAME.computer_answer(
                GAME.view(state, request.seat), request, derive_seed(state.dice.seed, request.id)
            )
            for request in requests
        }
        steps.append(GAME.resolve(state, answers))
    return setup, [step.state for step in steps], [step.events for step in steps]


def account() -> ChronicleContent:
    """Return the season's chronicle; its fiercest battle has a picture, as if it had been played."""
    setup, states, events = sailed()
    seats = [structs.replace(seat(number, 100 + number), name=name) for number, name in enumerate(NAMES)]
    over = {"phase": "over", "seed": "ab" * 32, "created_at": 1_767_225_600, "ended_at": 1_768_262_400}
    played = SeatedGame(
        game=game(system="campaign", setup=setup, name="The <i>great</i> war", **over),
        seats=seats,
        players={},
        is_rated=True,
    )
    tallies = GAME.count_statistics(states[-1], [event for some in events for event in some])
    end = EndFacts(
        seated_game=played,
        steps=tuple(PlayedStep(number, number > 0, encode(state)) for number, state in enumerate(states)),
        ordered_events={number: (encode(some),) for number, some in enumerate(events)},
        statistics=tuple(tallies.items()),
        unrated_entries=(),
        rating_changes=(),
        digest="cd" * 32,
        parent=None,
        match=None,
        keepsakes=KeepsakeFacts(),
    )
    facts = ChronicleFacts(
        end=end,
        rounds=tuple((number, (encode(some),)) for number, some in enumerate(events) if number),
        first_state=encode(states[0]),
        last_round=ChapterContent(round=len(states) - 1, events=(encode(events[-1]),), state=encode(states[-1])),
        battles={},
    )
    made = asyncio.run(chronicle.compose_chronicle(workers(), facts, analyse_end("campaign", setup.teams, end.steps)))
    return _with_battle(made, states[0], seats)


def _with_battle(made: ChronicleContent, state: Any, seats: list[Any]) -> ChronicleContent:
    position = state.position
    fleets = [tuple(galley.id for galley in position.galleys_of(letter))[:2] for letter in "AB"]
    met = Met(id="B1", place="DEL", sides=(("A",), ("B",)), galleys=(fleets[0], fleets[1]), began=1)
    setup = battle_setup(position, met)
    begun = RULESETS[setup.system].start(setup, Dice(seed="00"))
    below = SeatedGame(
        game=game(system=setup.system, setup=setup, phase="over", name="Battle 1 · Delian Sea"),
        seats=seats[:2],
        players={},
        is_rated=False,
    )
    last = ChapterContent(round=0, events=(encode(begun.events),), state=encode(begun.state))
    best = made.chronicle.best_battle
    assert best is not None
    fight = structs.replace(best, request="battle.B1")
    chronicle = structs.replace(made.chronicle, battles=(fight,), best_battle=fight)
    facts = structs.replace(made.facts, battles={"battle.B1": FoughtBattle(seated_game=below, last_round=last)})
    return structs.replace(made, facts=facts, chronicle=chronicle)


def workers() -> Workers:
    return cast("Workers", _Here())


def page(made: ChronicleContent, language: str) -> str:
    words = game_localizer(made.facts.seated_game, language)
    look = PictureStyle(system="campaign", language=language, names=dict(words.names))
    return asyncio.run(chronicle.render_page(workers(), made, language, look)).decode()
