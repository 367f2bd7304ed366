"""Describe in words what was proved of a game, and what must be compared with its thread."""

from __future__ import annotations

from collections.abc import Sequence

from bot.record.export import RecordProof
from bot.record.recomputing import Recomputation
from bot.store.queries import publications
from bot.store.queries.publications import PublishedHash
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.chance import fairness
from rules.core.replay import Flaw, RecordedBattle

_PUBLISHED_ONCE: tuple[publications.HashSubject, ...] = ("seed", "words", "digest")


def flaw_text(localizer: Localizer, flaw: Flaw) -> Markup:
    return localizer.say(f"flaw.{flaw.what}", step=flaw.step, piece=flaw.piece)


def proof_lines(localizer: Localizer, proof: RecordProof) -> list[Markup]:
    """Return the proved facts, one a line, and the hashes to compare with messages."""
    key = "proof.whole" if proof.is_finished else "proof.so_far"
    lines = [localizer.say(key, steps=proof.step_count, answers=proof.answer_count)]
    lines += restored_lines(localizer, proof)
    if proof.names_withdrawn:
        lines.append(localizer.say("proof.withdrawn"))
    if proof.is_finished:
        lines.append(localizer.say("proof.digest", digest=proof.digest))
    if proof.first_seed_hash:
        lines.append(
            localizer.say("proof.second_game", hash=Markup(proof.first_seed_hash[: fairness.SHOWN_HASH_DIGITS]))
        )
    if proof.draft_count:
        lines.append(localizer.say("proof.drafts", n=proof.draft_count))
    if proof.is_noted_by_bot:
        lines.append(localizer.say("proof.kept", what=_confirmed_subjects(proof)))
        lines += [*_seal_count_lines(localizer, proof), localizer.say("proof.thread")]
    else:
        lines.append(localizer.say("proof.kept_nothing"))
        if proof.published_hashes:
            lines += [localizer.say("proof.claimed"), *_seal_count_lines(localizer, proof)]
    hashes = [
        row for subject in _PUBLISHED_ONCE if (row := publications.first_published(proof.published_hashes, subject))
    ]
    hashes += [row for row in proof.published_hashes if row.what in ("seal", "broken")]
    return [*lines, *_comparison_lines(localizer, proof, hashes), *_chain_lines(localizer, proof)]


def restored_lines(localizer: Localizer, proof: RecordProof) -> list[Markup]:
    return [
        localizer.say(
            "proof.restored" if act.battle is None else "proof.restored_battle", step=step, until=act.shown_until
        )
        for step, act in proof.restores
    ]


def _confirmed_subjects(proof: RecordProof) -> list[publications.HashSubject]:
    """Return the kinds of hashes that the record matches. With withdrawn names its digest can't match."""
    published_subjects = [
        subject for subject in _PUBLISHED_ONCE if publications.first_published(proof.published_hashes, subject)
    ]
    compared_subjects = [subject for subject in published_subjects if subject != "digest" or not proof.names_withdrawn]
    if publications.first_published(proof.published_hashes, "chain"):
        compared_subjects.append("chain")
    return [*compared_subjects, "seal"] if proof.told_count else compared_subjects


def _seal_count_lines(localizer: Localizer, proof: RecordProof) -> list[Markup]:
    key = "proof.all_seals" if proof.told_count == proof.answer_count else "proof.seals"
    lines: list[Markup] = []
    if proof.is_finished:
        lines.append(localizer.say(key, answers=proof.answer_count, told=proof.told_count))
    counts = {
        "proof.unpublished": proof.unpublished_count,
        "proof.broken": proof.broken_count,
    }
    return [*lines, *(localizer.say(count_key, n=count) for count_key, count in counts.items() if count)]


def recomputation_lines(localizer: Localizer, recomputation: Recomputation) -> list[Markup]:
    """Return what was recomputed of the computer's answers; empty: it gave none."""
    lines: list[Markup] = []
    if recomputation.computed_count:
        is_whole = recomputation.recomputed_count == recomputation.computed_count
        key = "proof.all_recomputed" if is_whole else "proof.recomputed"
        counts = {"n": recomputation.recomputed_count, "computed": recomputation.computed_count}
        lines.append(localizer.say(key, **counts))
    if recomputation.foreign_count:
        programs = ", ".join(recomputation.programs)
        lines.append(localizer.say("proof.other_programs", n=recomputation.foreign_count, programs=programs))
    if recomputation.stopped_count:
        lines.append(localizer.say("proof.stopped", n=recomputation.stopped_count))
    return lines


def unchecked_battle_lines(localizer: Localizer, battles: Sequence[RecordedBattle]) -> list[Markup]:
    return [
        localizer.say("proof.battle_unseen", request=battle.request, digest=battle.report.digest) for battle in battles
    ]


def _chain_lines(localizer: Localizer, proof: RecordProof) -> list[Markup]:
    """Return the computed digests of the chain, each with the link of its message if that is known."""
    if not proof.chain:
        return [localizer.say("proof.unchained")]
    links = {row.hash: row.link for row in proof.published_hashes if row.what == "chain"}
    return [
        localizer.say("proof.chain"),
        *(
            localizer.say("proof.chain_line", round=round_no, hash=digest, link=Markup(links.get(digest, "")))
            for round_no, digest in proof.chain
        ),
    ]


def _comparison_lines(localizer: Localizer, proof: RecordProof, hashes: Sequence[PublishedHash]) -> list[Markup]:
    dice_words = [word for word in proof.words if word is not None]
    lines = []
    for row in hashes:
        if row.what == "words":
            lines.append(localizer.say("proof.hold_words", words=dice_words, link=Markup(row.link)))
        elif row.request:
            params = {"what": row.what, "request": row.request, "hash": row.hash, "link": Markup(row.link)}
            lines.append(localizer.say("proof.hold_seal", **params))
        else:
            lines.append(localizer.say("proof.hold", what=row.what, hash=row.hash, link=Markup(row.link)))
    return lines
