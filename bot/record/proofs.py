"""Says what was proved of a game, and what only its thread can prove."""

from __future__ import annotations

from collections.abc import Sequence

from bot.record.export import Proof
from bot.store import publications
from bot.store.publications import Published
from bot.words.i18n import Words
from bot.words.style import Said
from rules.replay import Flaw, Fought

_ONCE: tuple[publications.What, ...] = ("seed", "words", "digest")
"""What is published of a game once, be it in several messages."""


def flaw(words: Words, found: Flaw) -> Said:
    """What does not hold."""
    return words.say(f"flaw.{found.what}", step=found.step, piece=found.piece)


def proved(words: Words, proof: Proof, *, seals: bool) -> list[Said]:
    """What holds, a sentence a line, and what must be held against which message; with `seals`, each of them too."""
    lines = [words.say("proof.whole" if proof.whole else "proof.so_far", steps=proof.steps, answers=proof.answers)]
    if proof.withdrawn:
        lines.append(words.say("proof.withdrawn"))
    if proof.whole:
        lines.append(words.say("proof.digest", digest=proof.digest))
    if proof.kept:
        lines.append(words.say("proof.kept", what=_compared(proof)))
        lines += [*_counted(words, proof), words.say("proof.thread")]
    else:
        lines.append(words.say("proof.kept_nothing"))
        lines += [words.say("proof.claimed"), *_counted(words, proof)] if proof.noted else []
    shown = [one for what in _ONCE if (one := publications.first(proof.noted, what))]
    return [*lines, *_held(words, proof, [*shown, *(_seals(proof.noted) if seals else ())])]


def _compared(proof: Proof) -> list[publications.What]:
    """Return with what of the notes the record agrees; with a withdrawn name, nobody can say that of its digest."""
    once = [what for what in _ONCE if publications.first(proof.noted, what)]
    compared = [what for what in once if what != "digest" or not proof.withdrawn]
    return [*compared, "seal"] if proof.told else compared


def _counted(words: Words, proof: Proof) -> list[Said]:
    """Return how many seals the notes name, the bot's own or not."""
    key = "proof.all_seals" if proof.told == proof.answers else "proof.seals"
    told = [words.say(key, answers=proof.answers, told=proof.told)] if proof.whole else []
    return [*told, *([words.say("proof.broken", n=proof.broken)] if proof.broken else [])]


def unseen(words: Words, fought: Sequence[Fought]) -> list[Said]:
    """Which battles a record tells the end of whose own records were not looked at."""
    return [words.say("proof.battle_unseen", request=one.request, digest=one.report.digest) for one in fought]


def _seals(published: Sequence[Published]) -> list[Published]:
    return [one for one in published if one.what in ("seal", "broken")]


def _held(words: Words, proof: Proof, shown: Sequence[Published]) -> list[Said]:
    given = [word for word in proof.words if word is not None]
    said = []
    for one in shown:
        if one.what == "words":
            said.append(words.say("proof.hold_words", words=given, link=Said(one.link)))
        elif one.request:
            told = {"what": one.what, "request": one.request, "hash": one.hash, "link": Said(one.link)}
            said.append(words.say("proof.hold_seal", **told))
        else:
            said.append(words.say("proof.hold", what=one.what, hash=one.hash, link=Said(one.link)))
    return said
