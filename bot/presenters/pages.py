"""Read for a game's page: facts about the game from the database, and each step as the thread tells it."""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct

from bot.jobs.turning import EndAnalysis
from bot.lifecycle.steps.playing import SeatedGame
from bot.pages.values import GameHead, PageSeat, StepEntry
from bot.presenters import ending, story
from bot.presenters.ending import EndFacts
from bot.presenters.source import GameSource
from bot.presenters.story import StepFacts
from bot.presenters.wording import game_localizer, game_title
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import StepSubject
from bot.texts.i18n import languages
from bot.texts.style import HTML_STYLE, PLAIN_STYLE


class PageFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    server: str  # name of the server; empty: unknown
    shown: tuple[OutboxMessage | StepEntry, ...]
    """Steps that the thread shows, in order: messages of those that the page lacks, and entries that it has."""
    new_steps: dict[str, StepFacts]  # by key of the message: those that the page lacks
    end: EndFacts | None  # None while the game is played, or the thread doesn't show its end


async def read_page(source: GameSource, known: GameHead | None) -> PageFacts:
    """Read what the thread shows. `known` is the page as it is; its steps are not read again. Raises `Refusal`."""
    messages = await source.tx.messages.of_kinds(source.game.id, ("step",))
    known_steps = {entry.message: entry for entry in known.steps} if known else {}
    shown: list[OutboxMessage | StepEntry] = []
    new_steps: dict[str, StepFacts] = {}
    for message in sorted(messages, key=_last_step):
        entry = known_steps.get(message.key)
        is_posted = message.message_id is not None and message.sent >= message.wanted
        if entry and (entry.last == _last_step(message) or not is_posted):
            shown.append(entry)  # also while the thread's message waits for an edit
        elif is_posted:
            shown.append(message)
            new_steps[message.key] = await story.read_step(source, message)
    last_shown = max((each.last if isinstance(each, StepEntry) else _last_step(each) for each in shown), default=-1)
    shows_end = last_shown == source.game.step_no
    server_names = await source.tx.servers.names_by_id()
    return PageFacts(
        seated_game=source.seated_game,
        server=server_names.get(source.game.guild_id, ""),
        shown=tuple(shown),
        new_steps=new_steps,
        end=await ending.read_end(source) if source.game.phase == "over" and shows_end else None,
    )


def _last_step(message: OutboxMessage) -> int:
    return message.subject_as(StepSubject).last


def page_head(facts: PageFacts, steps: tuple[StepEntry, ...], analysis: EndAnalysis | None) -> GameHead:
    game = facts.seated_game.game
    titles: dict[str, str] = {}
    captains: dict[str, dict[int, str]] = {}
    result: dict[str, tuple[str, ...]] = {}
    closing: dict[str, tuple[str, ...]] = {}
    for language in languages():
        localizer = game_localizer(facts.seated_game, language)
        titles[language] = str(game_title(replace(localizer, style=PLAIN_STYLE), facts.seated_game))
        captains[language] = {number: str(name) for number, name in localizer.names.items()}
        if facts.end and analysis:
            on_page = replace(localizer, style=HTML_STYLE)
            result[language] = tuple(map(str, ending.describe_result(on_page, facts.end, analysis)))
            closing[language] = tuple(map(str, ending.end_lines(on_page, facts.end, analysis)))
    return GameHead(
        number=game.id,
        system=game.system,
        language=game.locale,
        server=facts.server,
        titles=titles,
        captains=captains,
        seats=tuple(
            PageSeat(seat=seat.seat, team=seat.team, is_computer=seat.is_computer_controlled)
            for seat in facts.seated_game.seats
        ),
        is_over=facts.end is not None,  # not before the thread shows it
        deadline=game.deadline if game.is_in_progress and game.paused_at is None else None,
        steps=steps,
        result=result,
        closing=closing,
    )
