"""The computer as an opponent: how well it plays, from the command to its answers."""

from __future__ import annotations

import pytest

from bot.discord.ids import CustomId
from bot.jobs import stored
from bot.texts.i18n import Catalogue
from rules.chance import fairness
from rules.chance.dice import derive_seed
from rules.core.registry import RULESETS
from tests.bot.services.test_bad_input import one_sentence
from tests.fuzz.forger import Forger
from tests.sea import Sea, text_of


@pytest.mark.parametrize(("level", "language"), [("deckhand", "en"), ("mate", "hu"), ("admiral", "hu")])
async def test_the_computer_plays_as_well_as_the_host_asks(sea: Sea, level: str, language: str) -> None:
    sea.move_to_server(language)
    await sea.command(sea.anna, "new", galleys="1")
    await sea.choose(sea.anna, "captain", level)
    words = Catalogue.load(language, "matchbox")
    chosen = f"{words.say('option.captain')}: {words.say(f'option.captain.{level}').partition(':')[0]}"
    assert (chosen in text_of(sea.channel.last_message)) == (level != "mate")  # the default is not shown
    await sea.command(sea.anna, "start")

    name = words.say("computer.named", rank=words.say(f"rank.{level}"), name="Nell" if language == "en" else "Bence")
    assert name.replace("Nell", "Tom") in sea.told()  # the computer has a rank and a name

    await sea.env.advance_time(86_401)  # Anna's galley is set down for her

    rows = sea.rows()
    (game,), rules = rows["games"], RULESETS["matchbox"]
    thrown_from = fairness.derive_dice_seed(game["seed"], (None, None))
    bodies = {answer["request_id"]: answer["body"] for answer in rows["answers"] if answer["given_by"] == "computer"}
    assert set(bodies) == {"place.1", "r1.orders.1"}
    for step in rows["steps"]:
        state = stored.read_state(rules, step["state"])
        view = rules.view(state, 1)
        assert view.captain_level == level
        request = next(request for request in rules.pending_requests(state) if request.seat == 1)
        answer = rules.computer_answer(view, request, derive_seed(thrown_from, f"captain {request.id}"))
        assert bodies[request.id] == rules.format_answer(request, answer)


async def test_there_are_no_others(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.command(sea.anna, "new", system="forts")
    before, forger = sea.rows(), Forger(sea, sea.anna)
    kraken = CustomId(verb="option", game=1, token="captain").pack()
    assert one_sentence(await forger.press(kraken, values=["kraken"]), "captain", "`kraken`")
    admiral = CustomId(verb="option", game=2, token="captain").pack()
    assert one_sentence(await forger.press(admiral, values=["admiral"]), "captain", "`admiral`")
    assert sea.rows() == before
