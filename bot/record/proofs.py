"""Says what was proved of a game, and what only its thread can prove."""

from __future__ import annotations

from collections.abc import Sequence

from bot.record.export import RecordProof
from bot.store.queries import publications
from bot.store.queries.publications import PublishedHash
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.replay import Flaw, RecordedBattle

_PUBLISHED_ONCE: tuple[publications.HashSubject, ...] = ("seed", "words", "digest")
"""What is published of a game once, be it in several messages."""


def flaw_text(words: Localizer, found: Flaw) -> Markup:
    """What does not hold."""
    return words.say(f"flaw.{found.what}", step=found.step, piece=found.piece)


def proof_lines(words: Localizer, proof: RecordProof, *, seals: bool) -> list[Markup]:
    """What holds, a sentence a line, and what must be held against which message; with `seals`, each of them too."""
    lines = [
        words.say(
            "proof.whole" if proof.is_finished else "proof.so_far", steps=proof.step_count, answers=proof.answer_count
        )
    ]
    if proof.names_withdrawn:
        lines.append(words.say("proof.withdrawn"))
    if proof.is_finished:
        lines.append(words.say("proof.digest", digest=proof.digest))
    if proof.is_noted_by_bot:
        lines.append(words.say("proof.kept", what=_confirmed_subjects(proof)))
        lines += [*_seal_count_lines(words, proof), words.say("proof.thread")]
    else:
        lines.append(words.say("proof.kept_nothing"))
        lines += [words.say("proof.claimed"), *_seal_count_lines(words, proof)] if proof.published_hashes else []
    shown = [one for what in _PUBLISHED_ONCE if (one := publications.first_published(proof.published_hashes, what))]
    return [
        *lines,
        *_comparison_lines(words, proof, [*shown, *(_published_seals(proof.published_hashes) if seals else ())]),
    ]


def _confirmed_subjects(proof: RecordProof) -> list[publications.HashSubject]:
    """Return with what of the notes the record agrees; with a withdrawn name, nobody can say that of its digest."""
    once = [what for what in _PUBLISHED_ONCE if publications.first_published(proof.published_hashes, what)]
    compared = [what for what in once if what != "digest" or not proof.names_withdrawn]
    return [*compared, "seal"] if proof.told_count else compared


def _seal_count_lines(words: Localizer, proof: RecordProof) -> list[Markup]:
    """Return how many seals the notes name, the bot's own or not."""
    key = "proof.all_seals" if proof.told_count == proof.answer_count else "proof.seals"
    told = [words.say(key, answers=proof.answer_count, told=proof.told_count)] if proof.is_finished else []
    return [*told, *([words.say("proof.broken", n=proof.broken_count)] if proof.broken_count else [])]


def unchecked_battle_lines(words: Localizer, fought: Sequence[RecordedBattle]) -> list[Markup]:
    """Which battles a record tells the end of whose own records were not looked at."""
    return [words.say("proof.battle_unseen", request=one.request, digest=one.report.digest) for one in fought]


def _published_seals(published: Sequence[PublishedHash]) -> list[PublishedHash]:
    return [one for one in published if one.what in ("seal", "broken")]


def _comparison_lines(words: Localizer, proof: RecordProof, shown: Sequence[PublishedHash]) -> list[Markup]:
    given = [word for word in proof.words if word is not None]
    said = []
    for one in shown:
        if one.what == "words":
            said.append(words.say("proof.hold_words", words=given, link=Markup(one.link)))
        elif one.request:
            told = {"what": one.what, "request": one.request, "hash": one.hash, "link": Markup(one.link)}
            said.append(words.say("proof.hold_seal", **told))
        else:
            said.append(words.say("proof.hold", what=one.what, hash=one.hash, link=Markup(one.link)))
    return said
