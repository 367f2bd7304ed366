"""A finished game's chronicle: in chat, and as one page with its pictures inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.life.playing import Playing
from bot.record.chapters import Told
from bot.store.records import Game
from bot.telling import ending
from bot.telling.ending import End
from bot.telling.page import Figure, Page, Section, Series, Table, written
from bot.telling.panel import title
from bot.telling.source import Source
from bot.telling.wording import called, words_of
from bot.words.i18n import Words
from bot.words.style import HTML, Said
from bot.words.whole import playable
from bot.work import chronicling, showing
from bot.work.showing import Drawn, Look, Shot
from bot.work.turning import Turned
from bot.work.workers import Workers
from render.registry import PAINTERS
from rules.chronicle import Chapter, Chronicle, Fight, Line
from rules.protocol import Event
from rules.registry import RULESETS
from rules.view import Text

PICTURED_MOST: Final = 10
"""Battles of which there is a picture: Discord takes no file of any size."""
WIDTH: Final = 1280
"""Pixels of the charts."""
_BATTLE_WIDTH: Final = 960


class Facts(Struct, frozen=True, kw_only=True):
    """What is stored of a finished game and of its battles."""

    end: End
    rounds: tuple[tuple[int, tuple[str, ...]], ...]
    """The events of each step of each round."""
    first: str
    """The state with which it began; secret until it was over."""
    last: Told
    battles: dict[str, Battle]
    """Those that were games of their own, by the question that they answered."""

    @property
    def playing(self) -> Playing:
        """The game and who sat at it."""
        return self.end.playing


class Battle(Struct, frozen=True, kw_only=True):
    """A battle that was a game of its own."""

    playing: Playing
    last: Told


class Account(Struct, frozen=True, kw_only=True):
    """All that a chronicle is written from."""

    facts: Facts
    chronicle: Chronicle
    turned: Turned


def has(game: Game) -> bool:
    """Whether a game has a chronicle once it is over."""
    return game.system in playable() and RULESETS[game.system].chronicled


async def facts(source: Source) -> Facts:
    """Read what there is to tell of a game. Raises `Refusal` while it goes on, or if it is of a kind that has none."""
    if source.game.phase != "over":
        raise Refusal("not_over")
    if not has(source.game):
        raise Refusal("no_chronicle", system=source.game.system)
    chapters = await source.chapters()
    rows = {row.no: row for row in await source.every_step()}
    found: dict[str, Battle] = {}
    for game in await source.tx.games.battles_of(source.game.id):
        if game.phase == "over" and game.parent_request:
            below = await Source.of(source.tx, game.id, source.fingerprint)
            *_, last = await below.chapters()
            found[game.parent_request] = Battle(playing=below.playing, last=await below.told(last))
    return Facts(
        end=await ending.end(source),
        rounds=tuple((one.round, tuple(rows[no].events for no in one.steps)) for one in chapters if one.round),
        first=rows[chapters[0].steps[-1] if chapters[0].round == 0 else 0].state,
        last=await source.told(chapters[-1]),
        battles=found,
    )


async def account(workers: Workers, told: Facts, turned: Turned) -> Account:
    """Work out a game's chronicle."""
    system = told.playing.game.system
    found = await workers.run(chronicling.chronicle, system, told.first, told.last.state, told.rounds)
    return Account(facts=told, chronicle=found, turned=turned)


# --- in chat -------------------------------------------------------------------------------------------------------


def lines(words: Words, told: Account) -> list[str]:
    """The chronicle in lines, for as many messages as it takes."""
    found, style = told.chronicle, words.style
    best = [words.say("chronicle.best", what=_sentences(words, found.best.line))] if found.best else []
    opening = [
        style.heading(words.say("chronicle.title", game=called(words, told.facts.playing))),
        *(words.text(one.line) for one in found.standings),
        *ending.turned_in(words, told.facts.end, told.turned),
        *best,
    ]
    return ["\n".join(opening), *(text for one in found.chapters if (text := _chapter(words, one)))]


def _chapter(words: Words, one: Chapter) -> str:
    """A round in chat; empty if all may know nothing of it."""
    happened = _happened(words, one)
    return "\n".join([words.style.bold(_heading(words, one)), *map(words.style.item, happened)]) if happened else ""


def _heading(words: Words, one: Chapter) -> Said:
    return words.say("chronicle.round", round=words.say("round", round=one.round), when=words.text(one.when))


def _happened(words: Words, one: Chapter) -> list[Said]:
    return [_sentences(words, line) for line in one.lines]


def _sentences(words: Words, line: Line) -> Said:
    return words.said(" ".join(words.event(one) if isinstance(one, Event) else words.text(one) for one in line))


# --- on a page -----------------------------------------------------------------------------------------------------


async def page(workers: Workers, told: Account, language: str, look: Look) -> bytes:
    """The chronicle as one HTML file in this language, with its pictures inside; `look` says how they are drawn."""
    words = replace(words_of(told.facts.playing, language), style=HTML)
    charts = await _charts(workers, told, look)
    fights = [await _fought(workers, words, told, one, look.stills) for one in _pictured(told)]
    return written(_page(words, told, charts, fights)).encode()


def _pictured(told: Account) -> list[Fight]:
    """Battles that are shown: the best, and the last ones of the others, as they met."""
    fought = [one for one in told.chronicle.fights if one.request in told.facts.battles]
    best = told.chronicle.best
    kept = sorted(fought, key=lambda one: (one != best, -one.round))[:PICTURED_MOST]
    return [one for one in fought if one in kept]


async def _charts(workers: Workers, told: Account, look: Look) -> list[Drawn]:
    """How it stood at the beginning, and at the end."""
    system, last = told.facts.playing.game.system, told.facts.last
    begun = structs.replace(look, caption=Text("chronicle.begun"))
    shot = Shot(crop="whole", width=WIDTH)
    return [
        await workers.draw(showing.revealed, system, told.facts.first, (), begun, shot),
        await workers.draw(showing.revealed, system, last.state, last.events, look, shot),
    ]


async def _fought(workers: Workers, words: Words, told: Account, one: Fight, stills: showing.Stills) -> Section:
    """A battle with a picture of how it ended."""
    battle = told.facts.battles[one.request]
    theirs = words_of(battle.playing, words.catalogue.language)
    look = Look(
        system=battle.playing.game.system, language=theirs.catalogue.language, names=dict(theirs.names), stills=stills
    )
    shot = Shot(crop="action", width=_BATTLE_WIDTH)
    drawn = await workers.draw(showing.draw, look.system, battle.last.state, battle.last.events, look, shot)
    name = words.said(words.style.text(battle.playing.game.name or f"#{battle.playing.game.id}"))
    best = [words.say("chronicle.fiercest")] if one == told.chronicle.best else []
    return Section(heading=name, notes=best, lines=[_sentences(words, one.line)], figure=Figure.of(drawn, name))


def _page(words: Words, told: Account, charts: Sequence[Drawn], fights: Sequence[Section]) -> Page:
    found, end = told.chronicle, told.facts.end
    begun, over = charts
    game = told.facts.playing.game
    when = {"began": game.created_at, "ended": game.ended_at or game.created_at}
    opening = [
        *([words.text(told.turned.result.reason)] if told.turned.result else []),
        *ending.turned_in(words, end, told.turned),
        *([words.say("chronicle.best", what=_sentences(words, found.best.line))] if found.best else []),
    ]
    return Page(
        language=words.catalogue.language,
        title=title(words, told.facts.playing),
        above=words.say("chronicle.above", game=words.say("game")),
        below=words.say("chronicle.below", where=words.text(found.where), **when),
        opening=opening,
        table=Table(caption=words.say("chronicle.standings"), head=_head(words, found), rows=list(_rows(words, found))),
        series=_series(words, found),
        charts=[
            Figure.of(begun, words.say("chronicle.begun")),
            Figure.of(over, words.say("chronicle.standings")),
        ],
        rounds_heading=words.say("chronicle.rounds"),
        rounds=[_section(words, one) for one in found.chapters],
        fights_heading=words.say("chronicle.fights"),
        fights=list(fights),
        closing=[
            *(text.replace("\n", "<br>") for text in ending.figures(words, end)),
            *ending.ratings_told(words, end),
        ],
        proof=ending.proofs(words, game.seed, end.digest),
    )


def _section(words: Words, one: Chapter) -> Section:
    quiet = [] if one.lines else [words.say("chronicle.quiet")]
    return Section(heading=_heading(words, one), lines=_happened(words, one), notes=quiet)


def _head(words: Words, found: Chronicle) -> list[Said]:
    columns = [key for key, value in found.standings[0].figures.items() if not isinstance(value, Text)]
    return [words.say("chronicle.captain"), *(words.text(Text(f"standing.{key}")) for key in columns)]


def _rows(words: Words, found: Chronicle) -> Iterator[tuple[int, Said, Said, list[Said]]]:
    """Place, captain, what is said below their name, and their figures."""
    for one in found.standings:
        who = words.say("chronicle.who", seat=one.seat)
        below = [words.text(value) for value in one.figures.values() if isinstance(value, Text)]
        counts = [words.said(str(value)) for value in one.figures.values() if not isinstance(value, Text)]
        yield one.place, who, words.said("<br>".join(below)), counts


def _series(words: Words, found: Chronicle) -> Series | None:
    """How the scores went, with the colours of seats; None for a game that counts none, or gives seats no colours."""
    painter = PAINTERS[RULESETS[words.catalogue.system].view_type]
    if not painter.seats or not any(map(len, found.scores)):
        return None
    return Series(
        heading=words.text(found.score),
        colours={seat: painter.seats[seat] for seat in found.scores[0]},
        points=found.scores,
    )
