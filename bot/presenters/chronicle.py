"""A finished game's chronicle, as chat messages and as an HTML page with embedded pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import showing, turning
from bot.jobs.showing import PictureSubject
from bot.jobs.turning import EndAnalysis
from bot.jobs.values import DescribedPicture, PictureStyle, StillSettings
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
"""The most battles with a picture, because Discord limits file sizes."""
WIDTH_PX: Final = 1280
_BATTLE_WIDTH_PX: Final = 960


class ChronicleFacts(Struct, frozen=True, kw_only=True):
    end: EndFacts  # statistics, ratings and digest of the game
    rounds: tuple[tuple[int, tuple[str, ...]], ...]  # number and stored events, step by step, of each round
    first_state: str  # before the first round
    last_round: ChapterContent  # for the picture of the end
    battles: dict[str, FoughtBattle]
    """Battles that were games of their own, by the id of the request that they answered."""

    @property
    def seated_game(self) -> SeatedGame:
        return self.end.seated_game


class FoughtBattle(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    last_round: ChapterContent  # for the battle's picture


class ChronicleContent(Struct, frozen=True, kw_only=True):
    facts: ChronicleFacts
    chronicle: Chronicle
    end_analysis: EndAnalysis  # result and turning point


def has_chronicle(game: Game) -> bool:
    return game.system in playable_systems() and RULESETS[game.system].has_chronicle


async def read_chronicle_facts(source: GameSource) -> ChronicleFacts:
    """Read a finished game. Raises `Refusal` while it is played, or if its kind has no chronicle."""
    if source.game.phase != "over":
        raise Refusal("not_over")
    if not has_chronicle(source.game):
        raise Refusal("no_chronicle", system=source.game.system)
    chapters = await source.chapters()
    rows = {row.no: row for row in await source.all_steps()}
    battles: dict[str, FoughtBattle] = {}
    for game in await source.tx.games.battles_of(source.game.id):
        if game.phase == "over" and game.parent_request:
            battle_source = await GameSource.open(source.tx, game.id, source.digest_function)
            last_chapter = (await battle_source.chapters())[-1]
            last_round = await battle_source.read_chapter(last_chapter)
            battles[game.parent_request] = FoughtBattle(seated_game=battle_source.seated_game, last_round=last_round)
    # A first chapter of round 0 is the preparation for the game.
    first_step_no = chapters[0].steps[-1] if chapters[0].round == 0 else 0
    return ChronicleFacts(
        end=await ending.read_end(source),
        rounds=tuple(
            (chapter.round, tuple(rows[number].events for number in chapter.steps))
            for chapter in chapters
            if chapter.round
        ),
        first_state=rows[first_step_no].state,
        last_round=await source.read_chapter(chapters[-1]),
        battles=battles,
    )


async def compose_chronicle(workers: Workers, facts: ChronicleFacts, end_analysis: EndAnalysis) -> ChronicleContent:
    system = facts.seated_game.game.system
    result = await workers.run_rules(
        turning.compose_chronicle, system, facts.first_state, facts.last_round.state, facts.rounds
    )
    return ChronicleContent(facts=facts, chronicle=result, end_analysis=end_analysis)


# --- in chat -------------------------------------------------------------------------------------------------------


def chronicle_lines(localizer: Localizer, content: ChronicleContent) -> list[str]:
    """Return the opening and a text for each round that has public events."""
    chronicle = content.chronicle
    title = localizer.say("chronicle.title", game=game_title(localizer, content.facts.seated_game))
    opening = [
        localizer.style.heading(title),
        *(localizer.say_text(standing.sentence) for standing in chronicle.standings),
        *ending.describe_turning_point(localizer, content.facts.end, content.end_analysis),
        *_best_battle_lines(localizer, chronicle),
    ]
    chapter_texts = [_chapter_text(localizer, chapter) for chapter in chronicle.chapters]
    return ["\n".join(opening), *filter(None, chapter_texts)]


def _best_battle_lines(localizer: Localizer, chronicle: Chronicle) -> list[Markup]:
    if not chronicle.best_battle:
        return []
    return [localizer.say("chronicle.best", what=_join_sentences(localizer, chronicle.best_battle.sentences))]


def _chapter_text(localizer: Localizer, chapter: ChronicleChapter) -> str:
    """Return a round for chat; empty if nothing of it is public."""
    sentences = _chapter_sentences(localizer, chapter)
    if not sentences:
        return ""
    heading = localizer.style.bold(_chapter_heading(localizer, chapter))
    return "\n".join([heading, *map(localizer.style.list_item, sentences)])


def _chapter_heading(localizer: Localizer, chapter: ChronicleChapter) -> Markup:
    return localizer.say(
        "chronicle.round", round=localizer.say("round", round=chapter.round), when=localizer.say_text(chapter.time)
    )


def _chapter_sentences(localizer: Localizer, chapter: ChronicleChapter) -> list[Markup]:
    return [_join_sentences(localizer, line) for line in chapter.lines]


def _join_sentences(localizer: Localizer, line: ChronicleLine) -> Markup:
    sentences = [
        localizer.event_text(sentence) if isinstance(sentence, Event) else localizer.say_text(sentence)
        for sentence in line
    ]
    return localizer.to_markup(" ".join(sentences))


# --- on a page -----------------------------------------------------------------------------------------------------


async def render_page(workers: Workers, content: ChronicleContent, language: str, look: PictureStyle) -> bytes:
    """Return the chronicle as one HTML file with embedded pictures."""
    localizer = replace(game_localizer(content.facts.seated_game, language), style=HTML_STYLE)
    charts = await _draw_charts(workers, content, look)
    battle_sections = [
        await _battle_section(workers, localizer, content, battle, look.stills) for battle in _pictured_battles(content)
    ]
    return render_html(_page_content(localizer, content, charts, battle_sections)).encode()


def _pictured_battles(content: ChronicleContent) -> list[ChronicleBattle]:
    """Return the best battle and the last of the others, in chronological order."""
    battles_with_game = [battle for battle in content.chronicle.battles if battle.request in content.facts.battles]
    best = content.chronicle.best_battle
    best_first = sorted(battles_with_game, key=lambda battle: (battle != best, -battle.round))
    selected = best_first[:MAX_PICTURED_BATTLES]
    return [battle for battle in battles_with_game if battle in selected]


async def _draw_charts(workers: Workers, content: ChronicleContent, look: PictureStyle) -> list[DescribedPicture]:
    """Return a picture of the beginning and one of the end."""
    system, last_round = content.facts.seated_game.game.system, content.facts.last_round
    first_look = structs.replace(look, caption=Text("chronicle.begun"))
    subject = PictureSubject(crop="whole", width_px=WIDTH_PX)
    return [
        await workers.run_picture(showing.draw_final_state, system, content.facts.first_state, (), first_look, subject),
        await workers.run_picture(showing.draw_final_state, system, last_round.state, last_round.events, look, subject),
    ]


async def _battle_section(
    workers: Workers,
    localizer: Localizer,
    content: ChronicleContent,
    story_battle: ChronicleBattle,
    stills: StillSettings,
) -> PageSection:
    battle = content.facts.battles[story_battle.request]
    battle_localizer = game_localizer(battle.seated_game, localizer.catalogue.language)
    look = PictureStyle(
        system=battle.seated_game.game.system,
        language=battle_localizer.catalogue.language,
        names=dict(battle_localizer.names),
        stills=stills,
    )
    subject = PictureSubject(crop="action", width_px=_BATTLE_WIDTH_PX)
    picture = await workers.run_picture(
        showing.draw_state, look.system, battle.last_round.state, battle.last_round.events, look, subject
    )
    name = localizer.to_markup(
        localizer.style.escape_text(battle.seated_game.game.name or f"#{battle.seated_game.game.id}")
    )
    is_best = story_battle == content.chronicle.best_battle
    return PageSection(
        heading=name,
        notes=[localizer.say("chronicle.fiercest")] if is_best else [],
        lines=[_join_sentences(localizer, story_battle.sentences)],
        figure=PageFigure.from_picture(picture, name),
    )


def _page_content(
    localizer: Localizer, content: ChronicleContent, charts: Sequence[DescribedPicture], battles: Sequence[PageSection]
) -> ChroniclePage:
    chronicle, end = content.chronicle, content.facts.end
    first_chart, last_chart = charts
    game = content.facts.seated_game.game
    dates = {"began": game.created_at, "ended": game.ended_at or game.created_at}
    result = content.end_analysis.result
    opening = [
        *([localizer.say_text(result.reason)] if result else []),
        *ending.describe_turning_point(localizer, end, content.end_analysis),
        *_best_battle_lines(localizer, chronicle),
    ]
    return ChroniclePage(
        language=localizer.catalogue.language,
        title=panel_title(localizer, content.facts.seated_game),
        overline=localizer.say("chronicle.above", game=localizer.say("game")),
        subtitle=localizer.say("chronicle.below", where=localizer.say_text(chronicle.place), **dates),
        introduction=opening,
        table=StandingsTable(
            caption=localizer.say("chronicle.standings"),
            head=_table_head(localizer, chronicle),
            rows=list(_standings_rows(localizer, chronicle)),
        ),
        series=_score_series(localizer, chronicle),
        charts=[
            PageFigure.from_picture(first_chart, localizer.say("chronicle.begun")),
            PageFigure.from_picture(last_chart, localizer.say("chronicle.standings")),
        ],
        rounds_heading=localizer.say("chronicle.rounds"),
        rounds=[_chapter_section(localizer, chapter) for chapter in chronicle.chapters],
        battles_heading=localizer.say("chronicle.fights"),
        battles=list(battles),
        closing=[
            *(text.replace("\n", "<br>") for text in ending.statistics_lines(localizer, end, content.end_analysis)),
            *ending.describe_ratings(localizer, end),
        ],
        proof=ending.proof_lines(localizer, game.seed, end.digest),
    )


def _chapter_section(localizer: Localizer, chapter: ChronicleChapter) -> PageSection:
    return PageSection(
        heading=_chapter_heading(localizer, chapter),
        lines=_chapter_sentences(localizer, chapter),
        notes=[] if chapter.lines else [localizer.say("chronicle.quiet")],
    )


def _table_head(localizer: Localizer, chronicle: Chronicle) -> list[Markup]:
    columns = [key for key, value in chronicle.standings[0].figures.items() if not isinstance(value, Text)]
    return [localizer.say("chronicle.captain"), *(localizer.say_text(Text(f"standing.{key}")) for key in columns)]


def _standings_rows(localizer: Localizer, chronicle: Chronicle) -> Iterator[tuple[int, Markup, Markup, list[Markup]]]:
    """Yield place, captain, text below the name, and figures."""
    for standing in chronicle.standings:
        captain = localizer.say("chronicle.who", seat=standing.seat)
        small_print = [localizer.say_text(value) for value in standing.figures.values() if isinstance(value, Text)]
        counts = [localizer.to_markup(str(value)) for value in standing.figures.values() if not isinstance(value, Text)]
        yield standing.place, captain, localizer.to_markup("<br>".join(small_print)), counts


def _score_series(localizer: Localizer, chronicle: Chronicle) -> ScoreSeries | None:
    """Return the scores by round; None if the game has no scores or no seat colours."""
    painter = PAINTERS[RULESETS[localizer.catalogue.system].view_type]
    if not painter.seat_colours or not any(map(len, chronicle.scores)):
        return None
    return ScoreSeries(
        heading=localizer.say_text(chronicle.score_name),
        colours={seat: painter.seat_colours[seat] for seat in chronicle.scores[0]},
        points=chronicle.scores,
    )
