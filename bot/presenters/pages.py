"""Read for a game's page: facts about the game from the database, and each step as the thread tells it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Literal

from msgspec import Struct, structs

from bot.jobs.turning import EndAnalysis
from bot.lifecycle.steps import undo
from bot.lifecycle.steps.playing import SeatedGame
from bot.pages.values import GameHead, RelatedPage, StepEntry
from bot.presenters import ending, story
from bot.presenters.ending import EndFacts
from bot.presenters.source import GameSource
from bot.presenters.story import StepFacts
from bot.presenters.wording import game_localizer, game_title
from bot.store.models.records import Game, OutboxMessage
from bot.store.models.subjects import StepSubject
from bot.texts.i18n import languages
from bot.texts.style import HTML_STYLE, PLAIN_STYLE
from rules.core.keepsakes import FIRST_NAME_NUMBER
from rules.core.replay import UndoAction


class NewStep(Struct, frozen=True, kw_only=True):
    """A step that the thread shows and the page lacks."""

    message: str  # key of the thread's message that tells it
    last: int  # number of the last step that the message tells
    facts: StepFacts


class PageFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    server: str  # name of the server; empty: unknown
    steps: tuple[StepEntry | NewStep, ...]  # those that the thread shows, in order
    undone: frozenset[int]  # numbers of steps to before which the game has gone back
    end: EndFacts | None  # None while the game is played, or the thread doesn't show its end
    record: str  # hash of the record as it is now; empty: its end is not shown
    deadline: int | None  # Unix seconds, as of the last step that is shown; None: nobody is awaited
    related: tuple[RelatedPage, ...]  # games with pages that belong to this one


async def read_page(source: GameSource, known: GameHead | None, *, lost: Collection[str] = ()) -> PageFacts:
    """Read what the thread shows. Raises `Refusal`.

    `known` is the page as it is; its steps are not read again, except those whose messages are `lost`.
    """
    messages = await source.tx.messages.of_kinds(source.game.id, ("step",))
    known_steps = {entry.message: entry for entry in known.steps} if known else {}
    steps: list[StepEntry | NewStep] = []
    for message in sorted(messages, key=_last_step):
        entry = known_steps.get(message.key)
        last = _last_step(message)
        is_shown = message.message_id is not None and message.sent >= message.wanted
        if entry and ((entry.last == last and message.key not in lost) or not is_shown):
            steps.append(entry)  # also while the thread's message waits for an edit
        elif is_shown:
            steps.append(NewStep(message=message.key, last=last, facts=await story.read_step(source, message)))
    shows_end = any(step.last == source.game.step_no for step in steps)
    has_ended = source.game.phase == "over" and shows_end
    last_shown = max((step.last for step in steps), default=0)
    kept_steps = undo.effective_steps(await source.step_causes())
    told_steps = [no for no, cause in kept_steps if undo.is_public_step(cause) and not isinstance(cause, UndoAction)]
    if all(number <= last_shown for number in told_steps):
        is_awaited = source.game.is_in_progress and source.game.paused_at is None
        deadline = source.game.deadline if is_awaited else None
    else:  # the present one would tell what the thread's next message tells
        deadline = known.deadline if known else None
    return PageFacts(
        deadline=deadline,
        seated_game=source.seated_game,
        server=await source.tx.servers.name_of(source.game.guild_id),
        steps=tuple(steps),
        undone=await _find_undone(source),
        end=await ending.read_end(source) if has_ended else None,
        record=await source.digest_function(source.tx, source.game.id) if has_ended else "",
        related=tuple(_relate(source.game, other) for other in await source.tx.games.related_pages(source.game)),
    )


async def _find_undone(source: GameSource) -> frozenset[int]:
    causes = await source.step_causes()
    return frozenset(number for number, _ in causes) - {number for number, _ in undo.effective_steps(causes)}


def _relate(game: Game, other: Game) -> RelatedPage:
    """Return a game's link to another one that belongs to it."""
    relation: Literal["parent", "battle", "first", "second"] = "second"
    if other.id == game.parent_id:
        relation = "parent"
    elif other.parent_id == game.id:
        relation = "battle"
    elif other.id == game.first_game_id:
        relation = "first"
    return RelatedPage(relation=relation, number=other.id, key=other.page_key or "")


def _last_step(message: OutboxMessage) -> int:
    return message.subject_as(StepSubject).last


def names_on_page(
    seated_game: SeatedGame, steps: Iterable[StepEntry]
) -> tuple[dict[str, str], dict[str, dict[int, str]]]:
    """Return by language a page's title, and names: of captains by seat, of keepsakes in `steps` by number."""
    keepsakes = {number for step in steps for number in step.keepsakes}
    titles: dict[str, str] = {}
    captains: dict[str, dict[int, str]] = {}
    for language in languages():
        localizer = game_localizer(seated_game, language)
        titles[language] = str(game_title(replace(localizer, style=PLAIN_STYLE), seated_game))
        captains[language] = {
            number: str(name)
            for number, name in localizer.names.items()
            if number < FIRST_NAME_NUMBER or number in keepsakes
        }
    return titles, captains


def page_head(facts: PageFacts, steps: tuple[StepEntry, ...], analysis: EndAnalysis | None) -> GameHead:
    game = facts.seated_game.game
    titles, captains = names_on_page(facts.seated_game, steps)
    result: dict[str, tuple[str, ...]] = {}
    closing: dict[str, tuple[str, ...]] = {}
    proof: dict[str, str] = {}
    for language in languages():
        localizer = game_localizer(facts.seated_game, language)
        if facts.end and analysis:
            on_page = replace(localizer, style=HTML_STYLE)
            result[language] = tuple(map(str, ending.describe_result(on_page, facts.end, analysis)))
            closing[language] = tuple(map(str, ending.summary_lines(on_page, facts.end, analysis)))
            proof[language] = str(ending.proof_line(on_page, facts.end, "page.proof"))
    return GameHead(
        system=game.system,
        language=game.locale,
        seats_above=tuple(seat for _, (_, seat) in sorted(facts.seated_game.seats_above.items())),
        number=game.id,
        server=facts.server,
        titles=titles,
        captains=captains,
        seat_count=len(facts.seated_game.seats),
        is_over=facts.end is not None,  # not before the thread shows it
        deadline=facts.deadline,
        steps=tuple(structs.replace(step, is_undone=step.last in facts.undone) for step in steps),
        result=result,
        closing=closing,
        proof=proof,
        ended=game.ended_at if facts.end else None,
        related=facts.related,
        record=facts.record,
    )
