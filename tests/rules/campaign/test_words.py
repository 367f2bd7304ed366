"""The campaign has its words in every language, though it isn't listed yet: the catalogue's tests hold listed games."""

import pytest

from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.story import StoryBuilder
from rules.campaign import GAME
from rules.campaign.engine.events import NightAccounted, PortBesieged, PortFell
from rules.campaign.engine.sea.maps import MAP_NAMES, sea_map
from rules.chance.dice import Dice
from tests.laws.invariants_campaign import SETUPS


def test_what_own_fleets_did_and_where_they_lie_is_told_before_what_others_took() -> None:
    words = Localizer(Catalogue.load("en", "campaign"), {0: "Anna", 1: "Béla", 2: "Nell"})
    begun = GAME.start(SETUPS[1], Dice(seed="00")).events
    (lying,) = (words.event_text(event) for event in begun if event.seen_by == (0,))
    assert lying.startswith("Your galleys are: A1–A5 at ")
    taken = PortFell(map="gulf", port="TRO", by="C", was="")
    held = PortBesieged(map="gulf", port="SUN", by="A", nights=1, of=2)
    paid = NightAccounted(map="gulf", captain="A", income=4, talents=8)
    siege = "Anna besieges Sounion and has 1 of the 2 galley-nights needed."
    gist = StoryBuilder.build(words, (held, taken, paid, *begun), 0).summarise()
    assert gist.own_news[0].startswith(f"{siege} Your galleys are: ")
    assert gist.others_news == words.headline_text(taken)
    assert gist.own_news[-1] == siege


@pytest.mark.parametrize("language", languages())
def test_every_place_has_a_name(language: str) -> None:
    words = Localizer(Catalogue.load(language, "campaign"))
    for name in MAP_NAMES:
        many = 2 if name == "gulf" else 8
        names = [words.say(f"place.{name}.{code}") for code in sea_map(name, many).places]
        assert len({*names}) == len(names), name
