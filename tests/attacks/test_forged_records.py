"""The bot never presents a file's claims as its own notes (docs/fairness.md)."""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import structs

from bot.record.export import FinishedGame, decode_export, encode_export, with_digest
from bot.store.queries.publications import PublishedHash
from bot.texts.i18n import Catalogue
from rules.chance import fairness
from rules.chance.dice import Dice
from rules.core.registry import RULESETS
from tests.bot.papers import exported
from tests.sea import AFAR, Sea

EN = Catalogue.load("en")
FORGED = "https://discord.com/channels/1/2/3"


async def test_only_what_the_bot_noted_is_called_its_notes(sea: Sea) -> None:
    """A whole game is made up, of which no bot has ever heard, with invented notes and links to invented messages."""
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela)
    paper = decode_export(await exported(sea, sea.cili))
    assert isinstance(paper, FinishedGame)
    made_up = forged(paper, hashlib.sha256(b"a seed that suits me").hexdigest())
    data = encode_export(made_up)
    noted = str(EN.say("proof.kept", what=[])).partition(":")[0]
    nothing, claimed = EN.say("proof.kept_nothing"), EN.say("proof.claimed")
    said = await sea.command(sea.cili, "verify", file=("game.json", data))
    assert (noted in said, nothing in said, claimed in said) == (False, True, True), said
    # What it shows of the invented messages comes after that warning.
    assert said.index(FORGED) > said.index(claimed)
    # Of its own games the bot has notes, be they handed in or not.
    for file in ({}, {"file": ("game.json", encode_export(paper))}):
        said = await sea.command(sea.cili, "verify", game="1", **file)
        assert (noted in said, nothing in said, claimed in said) == (True, False, False), said
    # Nor does a game become the bot's own by being brought in.
    game, _ = await sea.bot.services.archive.import_game(made_up, guild_id=0, channel_id=0)
    assert not await sea.bot.services.archive.published_hashes(game)
    assert await sea.bot.services.archive.published_hashes(1)


def forged(paper: FinishedGame, seed: str) -> FinishedGame:
    """Return the game as if played with another seed, with hashes that match and are called published."""
    game = fairness.hash_seed(seed)
    rules, record = RULESETS[paper.record.setup.system], paper.record
    dice = fairness.derive_dice_seed(seed, record.words)
    start = rules.start(record.setup, Dice(seed=dice))
    act = record.steps[-1].act
    end = rules.apply_out_of_turn(start.state, act)

    def told(events: object) -> tuple[dict[str, object], ...]:
        return tuple(msgspec.json.decode(msgspec.json.encode(events)))

    first, last = record.steps[0], record.steps[-1]
    steps = (structs.replace(first, events=told(start.events)), structs.replace(last, events=told(end.events)))
    new = structs.replace(record, seed=seed, seed_commitment=game, steps=steps, unused=())
    notes = (
        PublishedHash(what="seed", hash=game, at=paper.opened, link=FORGED),
        PublishedHash(what="words", hash=fairness.hash_words(record.words), at=paper.opened, link=FORGED),
    )
    whole = with_digest(structs.replace(paper, record=new, notes=(), digest=""))
    digest = PublishedHash(what="digest", hash=whole.digest, at=paper.ended, link=FORGED)
    return structs.replace(whole, notes=(*notes, digest))
