"""A finished game's chronicle: in chat, and as one page with its pictures inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import chronicling, showing
from bot.jobs.showing import DescribedPicture, PictureStyle, PictureSubject
from bot.jobs.turning import EndAnalysis
from bot.jobs.workers import Workers
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import ending
from bot.presenters.ending import EndFacts
from bot.presenters.page import ChroniclePage, PageFigure, PageSection, ScoreSeries, StandingsTable, render_html
from bot.presenters.panel import panel_title
from bot.presenters.source import GameSource
from bot.presenters.wording import game_localizer, game_title
from bot.record.chapters import ChapterContent
from bot.store.models.records import Game
from bot.texts.i18n import Localizer
from bot.texts.style import HTML_STYLE, Markup
from bot.texts.whole import playable_systems
from render.registry import PAINTERS
from rules.core.protocol import Event
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.chronicle import Chronicle, ChronicleBattle, ChronicleChapter, ChronicleLine

MAX_PICTURED_BATTLES: Final = 10
"""Battles of which there is a picture: Discord takes no file of any size."""
WIDTH_PX: Final = 1280
"""Pixels of the charts."""
_BATTLE_WIDTH_PX: Final = 960


class ChronicleFacts(Struct, frozen=True, kw_only=True):
    """What is stored of a finished game and of its battles."""

    end: EndFacts
    rounds: tuple[tuple[int, tuple[str, ...]], ...]
    """The events of each step of each round."""
    first_state: str
    """The state with which it began; secret until it was over."""
    last_round: ChapterContent
    battles: dict[str, FoughtBattle]
    """Those that were games of their own, by the question that they answered."""

    @property
    def seated_game(self) -> SeatedGame:
        """The game and who sat at it."""
        return self.end.seated_game


class FoughtBattle(Struct, frozen=True, kw_only=True):
    """A battle that was a game of its own."""

    seated_game: SeatedGame
    last_round: ChapterContent


class ChronicleContent(Struct, frozen=True, kw_only=True):
    """All that a chronicle is written from."""

    facts: ChronicleFacts
    chronicle: Chronicle
    end_analysis: EndAnalysis


def has_chronicle(game: Game) -> bool:
    """Whether a game has a chronicle once it is over."""
    return game.system in playable_systems() and RULESETS[game.system].has_chronicle


async def read_chronicle_facts(source: GameSource) -> ChronicleFacts:
    """Read what there is to tell of a game. Raises `Refusal` while it goes on, or if it is of a kind that has none."""
    if source.game.phase != "over":
        raise Refusal("not_over")
    if not has_chronicle(source.game):
        raise Refusal("no_chronicle", system=source.game.system)
    chapters = await source.chapters()
    rows = {row.no: row for row in await source.all_steps()}
    found: dict[str, FoughtBattle] = {}
    for game in await source.tx.games.battles_of(source.game.id):
        if game.phase == "over" and game.parent_request:
            below = await GameSource.open(source.tx, game.id, source.digest_function)
            *_, last = await below.chapters()
            found[game.parent_request] = FoughtBattle(
                seated_game=below.seated_game, last_round=await below.read_chapter(last)
            )
    return ChronicleFacts(
        end=await ending.read_end(source),
        rounds=tuple((one.round, tuple(rows[no].events for no in one.steps)) for one in chapters if one.round),
        first_state=rows[chapters[0].steps[-1] if chapters[0].round == 0 else 0].state,
        last_round=await source.read_chapter(chapters[-1]),
        battles=found,
    )


async def compose_chronicle(workers: Workers, told: ChronicleFacts, turned: EndAnalysis) -> ChronicleContent:
    """Work out a game's chronicle."""
    system = told.seated_game.game.system
    found = await workers.run_rules(
        chronicling.compose_chronicle, system, told.first_state, told.last_round.state, told.rounds
    )
    return ChronicleContent(facts=told, chronicle=found, end_analysis=turned)


# --- in chat -------------------------------------------------------------------------------------------------------


def chronicle_lines(words: Localizer, told: ChronicleContent) -> list[str]:
    """The chronicle in lines, for as many messages as it takes."""
    found, style = told.chronicle, words.style
    best = (
        [words.say("chronicle.best", what=_join_sentences(words, found.best_battle.sentences))]
        if found.best_battle
        else []
    )
    opening = [
        style.heading(words.say("chronicle.title", game=game_title(words, told.facts.seated_game))),
        *(words.say_text(one.sentence) for one in found.standings),
        *ending.describe_turning_point(words, told.facts.end, told.end_analysis),
        *best,
    ]
    return ["\n".join(opening), *(text for one in found.chapters if (text := _chapter_text(words, one)))]


def _chapter_text(words: Localizer, one: ChronicleChapter) -> str:
    """A round in chat; empty if all may know nothing of it."""
    happened = _chapter_sentences(words, one)
    return (
        "\n".join([words.style.bold(_chapter_heading(words, one)), *map(words.style.list_item, happened)])
        if happened
        else ""
    )


def _chapter_heading(words: Localizer, one: ChronicleChapter) -> Markup:
    return words.say("chronicle.round", round=words.say("round", round=one.round), when=words.say_text(one.time))


def _chapter_sentences(words: Localizer, one: ChronicleChapter) -> list[Markup]:
    return [_join_sentences(words, line) for line in one.lines]


def _join_sentences(words: Localizer, line: ChronicleLine) -> Markup:
    return words.to_markup(
        " ".join(words.event_text(one) if isinstance(one, Event) else words.say_text(one) for one in line)
    )


# --- on a page -----------------------------------------------------------------------------------------------------


async def render_page(workers: Workers, told: ChronicleContent, language: str, look: PictureStyle) -> bytes:
    """The chronicle as one HTML file in this language, with its pictures inside; `look` says how they are drawn."""
    words = replace(game_localizer(told.facts.seated_game, language), style=HTML_STYLE)
    charts = await _draw_charts(workers, told, look)
    fights = [await _battle_section(workers, words, told, one, look.stills) for one in _pictured_battles(told)]
    return render_html(_page_content(words, told, charts, fights)).encode()


def _pictured_battles(told: ChronicleContent) -> list[ChronicleBattle]:
    """Battles that are shown: the best, and the last ones of the others, as they met."""
    fought = [one for one in told.chronicle.battles if one.request in told.facts.battles]
    best = told.chronicle.best_battle
    kept = sorted(fought, key=lambda one: (one != best, -one.round))[:MAX_PICTURED_BATTLES]
    return [one for one in fought if one in kept]


async def _draw_charts(workers: Workers, told: ChronicleContent, look: PictureStyle) -> list[DescribedPicture]:
    """How it stood at the beginning, and at the end."""
    system, last = told.facts.seated_game.game.system, told.facts.last_round
    begun = structs.replace(look, caption=Text("chronicle.begun"))
    shot = PictureSubject(crop="whole", width_px=WIDTH_PX)
    return [
        await workers.run_picture(showing.draw_final_state, system, told.facts.first_state, (), begun, shot),
        await workers.run_picture(showing.draw_final_state, system, last.state, last.events, look, shot),
    ]


async def _battle_section(
    workers: Workers, words: Localizer, told: ChronicleContent, one: ChronicleBattle, stills: showing.StillSettings
) -> PageSection:
    """A battle with a picture of how it ended."""
    battle = told.facts.battles[one.request]
    theirs = game_localizer(battle.seated_game, words.catalogue.language)
    look = PictureStyle(
        system=battle.seated_game.game.system,
        language=theirs.catalogue.language,
        names=dict(theirs.names),
        stills=stills,
    )
    shot = PictureSubject(crop="action", width_px=_BATTLE_WIDTH_PX)
    drawn = await workers.run_picture(
        showing.draw_state, look.system, battle.last_round.state, battle.last_round.events, look, shot
    )
    name = words.to_markup(words.style.escape_text(battle.seated_game.game.name or f"#{battle.seated_game.game.id}"))
    best = [words.say("chronicle.fiercest")] if one == told.chronicle.best_battle else []
    return PageSection(
        heading=name,
        notes=best,
        lines=[_join_sentences(words, one.sentences)],
        figure=PageFigure.from_picture(drawn, name),
    )


def _page_content(
    words: Localizer, told: ChronicleContent, charts: Sequence[DescribedPicture], fights: Sequence[PageSection]
) -> ChroniclePage:
    found, end = told.chronicle, told.facts.end
    begun, over = charts
    game = told.facts.seated_game.game
    when = {"began": game.created_at, "ended": game.ended_at or game.created_at}
    opening = [
        *([words.say_text(told.end_analysis.result.reason)] if told.end_analysis.result else []),
        *ending.describe_turning_point(words, end, told.end_analysis),
        *(
            [words.say("chronicle.best", what=_join_sentences(words, found.best_battle.sentences))]
            if found.best_battle
            else []
        ),
    ]
    return ChroniclePage(
        language=words.catalogue.language,
        title=panel_title(words, told.facts.seated_game),
        overline=words.say("chronicle.above", game=words.say("game")),
        subtitle=words.say("chronicle.below", where=words.say_text(found.place), **when),
        introduction=opening,
        table=StandingsTable(
            caption=words.say("chronicle.standings"),
            head=_introduction(words, found),
            rows=list(_standings_rows(words, found)),
        ),
        series=_score_series(words, found),
        charts=[
            PageFigure.from_picture(begun, words.say("chronicle.begun")),
            PageFigure.from_picture(over, words.say("chronicle.standings")),
        ],
        rounds_heading=words.say("chronicle.rounds"),
        rounds=[_chapter_section(words, one) for one in found.chapters],
        battles_heading=words.say("chronicle.fights"),
        battles=list(fights),
        closing=[
            *(text.replace("\n", "<br>") for text in ending.statistics_lines(words, end)),
            *ending.describe_ratings(words, end),
        ],
        proof=ending.proof_lines(words, game.seed, end.digest),
    )


def _chapter_section(words: Localizer, one: ChronicleChapter) -> PageSection:
    quiet = [] if one.lines else [words.say("chronicle.quiet")]
    return PageSection(heading=_chapter_heading(words, one), lines=_chapter_sentences(words, one), notes=quiet)


def _introduction(words: Localizer, found: Chronicle) -> list[Markup]:
    columns = [key for key, value in found.standings[0].figures.items() if not isinstance(value, Text)]
    return [words.say("chronicle.captain"), *(words.say_text(Text(f"standing.{key}")) for key in columns)]


def _standings_rows(words: Localizer, found: Chronicle) -> Iterator[tuple[int, Markup, Markup, list[Markup]]]:
    """Place, captain, what is said below their name, and their figures."""
    for one in found.standings:
        who = words.say("chronicle.who", seat=one.seat)
        below = [words.say_text(value) for value in one.figures.values() if isinstance(value, Text)]
        counts = [words.to_markup(str(value)) for value in one.figures.values() if not isinstance(value, Text)]
        yield one.place, who, words.to_markup("<br>".join(below)), counts


def _score_series(words: Localizer, found: Chronicle) -> ScoreSeries | None:
    """How the scores went, with the colours of seats; None for a game that counts none, or gives seats no colours."""
    painter = PAINTERS[RULESETS[words.catalogue.system].view_type]
    if not painter.seat_colours or not any(map(len, found.scores)):
        return None
    return ScoreSeries(
        heading=words.say_text(found.score_name),
        colours={seat: painter.seat_colours[seat] for seat in found.scores[0]},
        points=found.scores,
    )
