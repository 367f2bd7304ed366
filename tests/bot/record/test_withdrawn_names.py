"""A record from which a name was taken out is called that: neither another record, nor the one that was published."""

from __future__ import annotations

import asyncio

from msgspec import structs

from bot.cli.shell import prove_record
from bot.record.export import check_export, decode_export, encode_export, with_digest
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE
from rules.chance import fairness
from rules.chance.fairness import SHOWN_HASH_DIGITS
from tests.bot.papers import a_game, exported
from tests.sea import Sea


async def files(sea: Sea) -> tuple[bytes, bytes]:
    """The file of a game, before and after one of its captains was forgotten."""
    await a_game(sea)
    before = await exported(sea, sea.cili)
    await sea.bot.services.privacy.forget_user(sea.bela.id)
    await sea.settle()
    return before, await exported(sea, sea.cili)


async def test_held_against_the_published_fingerprint_it_is_said_to_lack_a_name(sea: Sea) -> None:
    language = "hu"
    before, after = await files(sea)
    digest = decode_export(before).digest
    assert decode_export(after).digest != digest
    words = Localizer(Catalogue.load(language), style=PLAIN_STYLE)
    for told in (digest, digest[:SHOWN_HASH_DIGITS]):
        holds, lines = await asyncio.to_thread(prove_record, after, told, language)
        assert (holds, *map(str, lines)) == (False, words.say("flaw.withdrawn", piece=digest))
    # By itself it holds, and so does the file from before.
    holds, lines = await asyncio.to_thread(prove_record, after, "", language)
    assert holds
    assert words.say("proof.withdrawn") in lines
    holds, lines = await asyncio.to_thread(prove_record, before, digest, language)
    assert holds
    assert words.say("proof.withdrawn") not in lines


async def test_another_game_does_not_become_the_published_one_by_saying_so(sea: Sea) -> None:
    before, after = await files(sea)
    real, paper = decode_export(before), decode_export(after)
    changed = with_digest(structs.replace(paper, captains=("somebody", "else")))
    for forged in (changed, with_digest(structs.replace(changed, published=fairness.hash_seed("ab" * 32)))):
        flaw = check_export(encode_export(forged), real.digest)
        assert flaw is not None
        assert flaw.what in ("withdrawn", "published")
    assert check_export(encode_export(structs.replace(changed, captains=real.captains)), real.digest) is not None


async def test_who_kept_the_file_from_before_holds_it_against_the_game(sea: Sea) -> None:
    before, after = await files(sea)
    holds = Catalogue.load("en").say("proof.digest", digest=decode_export(before).digest)
    for data in (before, after):
        said = await sea.command(sea.cili, "verify", game="1", file=("game.json", data))
        assert "fits its hash" in said, said
        assert (holds in said) == (data == before)
