"""Jobs that show a game: pictures, films, and the table in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

import render
from bot.words import speech
from bot.words.i18n import Catalogue, Words
from bot.words.story import story
from bot.words.style import PLAIN
from bot.work.kept import kept
from bot.work.stored import read_events, read_state
from render.commission import Commission
from rules.dice import Dice
from rules.outcomes import Held, held
from rules.protocol import EMPTY, Choices, Draft, Event, GameState, Request, Setup
from rules.registry import FIRST, RULESETS
from rules.ruleset import Ruleset
from rules.view import Text, View

S = TypeVar("S", bound=GameState)
Crop = Literal["afloat", "whole", "action", "fleet"]
"""What a picture is cropped to."""
PLAN_PART: Final = 0.8
"""Width of plans, as a part of other pictures'. A plan is drawn at every press, and a phone shows no more."""


class Stills(Struct, frozen=True, kw_only=True):
    """How the operator wants stills."""

    form: render.StillFormat = "png"
    width: int = render.STILL_WIDTH
    """Pixels."""

    @property
    def plan_width(self) -> int:
        """Width of a plan in pixels."""
        return round(PLAN_PART * self.width)


class Look(Struct, frozen=True, kw_only=True):
    """The language and names for one viewer."""

    system: str
    """Which game is shown, for its words."""
    language: str
    names: dict[int, str]
    """Display names by seat."""
    caption: Text | None = None
    """Caption below the picture; without it the view's phase."""
    stills: Stills = Stills()
    beside: int | None = None
    """The seat from whose side pictures and films are seen; None: as everybody sees them."""

    @property
    def words(self) -> Words:
        """Words in the viewer's language."""
        return Words(Catalogue.load(self.language, self.system), self.names)

    @property
    def plain(self) -> Words:
        """The same without any markup."""
        return replace(self.words, style=PLAIN)


class Shot(Struct, frozen=True, kw_only=True):
    """Whose view a picture is, what it is about, and what it is cropped to."""

    seat: int | None = None
    """None: a spectator's."""
    draft: Draft = EMPTY
    """The seat's own."""
    kind: render.Kind = "table"
    crop: Crop = "afloat"
    """Everything afloat (before the first round, not at all), not at all, the action, or the seat's own pieces."""
    width: int | None = None
    """Pixels; None: as wide as stills are."""


class Drawn(Struct, frozen=True, kw_only=True):
    """A picture, ready to be attached."""

    data: bytes
    format: str
    alt: str
    reduced: bool = False
    """Whether the film was shortened or made smaller to fit."""


class Clip(Struct, frozen=True, kw_only=True):
    """One round of a whole game's film."""

    picture: render.Picture | None
    """None if there is nothing to see in the round."""
    headline: str


class Offer(Struct, frozen=True, kw_only=True):
    """What a captain's panel offers, besides its picture."""

    choices: Choices
    warnings: tuple[Text, ...] = ()
    """What in the draft has no effect as things stand."""
    ships: tuple[Held, ...] = ()
    """Who holds which ship, as far as the captain may know."""
    score: Text | None = None
    """How points stand, if there are any."""
    goal: Text | None = None
    """What the captain has to do to win, if that is not what it always is."""
    nearest: tuple[str, Text] | None = None
    """The captain's ship that has an enemy nearest to her, and which."""


class Known(Struct, frozen=True):
    """What everybody may know of how a game stands, beside what has happened."""

    ships: tuple[Held, ...] = ()
    """Who holds which ship, where a story must say so."""
    score: Text | None = None
    """How points stand, if there are any."""


class Panel(Offer, frozen=True, kw_only=True):
    """What a captain's panel shows."""

    picture: Drawn


def warm_up() -> None:
    """Load and make what every first picture needs, before anybody waits for it."""
    rules = RULESETS[FIRST]
    state = rules.start(Setup(system=FIRST, teams=(0, 1)), Dice(seed="00")).state
    render.draw(rules.view(state, 0), kind="plan", width=Stills().plan_width)


@kept
def panel(system: str, body: str, request: Request, draft: Draft, look: Look) -> Panel:
    """Return a captain's choices, and a picture of the draft."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    offered = offer_at(rules, state, request, draft)
    picture = _plan(rules, state, request, draft, look)
    return Panel(**msgspec.structs.asdict(offered), picture=picture)


def offer(system: str, body: str, request: Request, draft: Draft) -> Offer:
    """Return a captain's choices."""
    rules = RULESETS[system]
    return offer_at(rules, read_state(rules, body), request, draft)


def offer_at(rules: Ruleset[S], state: S, request: Request, draft: Draft) -> Offer:
    """As `offer`, for a state that has been decoded."""
    view = rules.view(state, request.seat)
    return Offer(
        choices=rules.choices(state, request, draft),
        warnings=rules.warnings(state, request, draft),
        ships=held(view),
        score=view.score,
        goal=view.goal,
        nearest=view.nearest,
    )


def known(system: str, body: str) -> Known:
    """What everybody may know of a state that events don't tell."""
    rules = RULESETS[system]
    view = rules.view(read_state(rules, body), None)
    return Known(held(view) if rules.ships_change_sides else (), view.score)


@kept
def plan(system: str, body: str, request: Request, draft: Draft, look: Look) -> Drawn:
    """Return a picture of a captain's draft."""
    rules = RULESETS[system]
    return _plan(rules, read_state(rules, body), request, draft, look)


def _plan(rules: Ruleset[S], state: S, request: Request, draft: Draft, look: Look) -> Drawn:
    view = _captioned(rules.view(state, request.seat, draft), look)
    shot = Shot(seat=request.seat, kind="plan", crop="action", width=look.stills.plan_width)
    return _drawn(view, (), look, shot)


@kept
def draw(system: str, body: str, happened: Sequence[str], look: Look, shot: Shot) -> Drawn:
    """Return a picture of a state as one seat, or a spectator, sees it, with the latest events."""
    view, events = _seen(RULESETS[system], body, happened, look, seat=shot.seat, draft=shot.draft)
    return _drawn(view, events, look, shot)


def revealed(system: str, body: str, happened: Sequence[str], look: Look, shot: Shot) -> Drawn:
    """Return a picture of a state of a game that is over, as everybody may see it then, with the latest events."""
    rules = RULESETS[system]
    view = _captioned(rules.revealed(read_state(rules, body)), look)
    return _drawn(view, [event for event in read_events(rules, *happened) if event.seen_by is None], look, shot)


def _drawn(view: View, events: Sequence[Event], look: Look, shot: Shot) -> Drawn:
    picture = render.carry_out(_commission(view, events, look, shot), look.stills.form)
    return Drawn(data=picture.data, format=picture.format, alt=speech.alt(look.plain, view, events))


def _commission(view: View, events: Sequence[Event], look: Look, shot: Shot) -> Commission[Any]:
    """Return what the painter is asked for."""
    plain, crop = look.plain, shot.crop
    afloat = [piece for piece in view.pieces if piece.afloat]
    focus = {
        "afloat": tuple(piece.id for piece in afloat),
        "fleet": tuple(piece.id for piece in afloat if piece.seat == shot.seat),
    }
    return Commission(
        view=view,
        events=events,
        kind=shot.kind,
        caption=" · ".join([_caption(view, plain), *_own_side(view, shot.kind, look)]),
        names=look.names,
        width=shot.width or look.stills.width,
        crop="whole" if crop == "whole" or (crop == "afloat" and not view.round) else "action",
        focus=focus.get(crop, ()),
        beside=look.beside,
    )


def _caption(view: View, plain: Words) -> str:
    """What stands below a picture: the view's phase, in as few words as a phone has room for, if the game has such."""
    short = f"{view.phase.key}.caption"
    return plain.text(msgspec.structs.replace(view.phase, key=short) if plain.catalogue.has(short) else view.phase)


def _own_side(view: View, kind: render.Kind, look: Look) -> list[str]:
    """What a picture says that is seen the other way round than everybody's."""
    return [look.plain.say("caption.own_side")] if render.turned(view, kind, look.beside) else []


def chart(setup: Setup, look: Look, width: int) -> Drawn:
    """Return a picture of what a game is played on, before any ship is there.

    Raises `OrderError` if its host's own scenario cannot be read.
    """
    rules = RULESETS[setup.system]
    view = _captioned(rules.view(rules.chart(setup), None), look)
    return _drawn(view, (), look, Shot(crop="whole", width=width))


class Seen(Struct, frozen=True, kw_only=True):
    """A state in a picture and in words."""

    picture: Drawn
    pages: tuple[str, ...]


def seen(system: str, body: str, happened: Sequence[str], look: Look, shot: Shot) -> Seen | None:
    """Return a state as one seat, or a spectator, sees it; None if the events hold nothing of this kind of picture."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    if happened and not render.shows(rules.view(state, None), read_events(rules, *happened), shot.kind):
        return None
    view = rules.view(state, shot.seat, shot.draft)
    visible = tuple(e for e in read_events(rules, *happened) if e.seen_by is None or shot.seat in e.seen_by)
    picture = _drawn(_captioned(view, look), visible, look, shot)
    return Seen(picture=picture, pages=tuple(speech.table_text(look.words, view)))


def film(system: str, body: str, happened: Sequence[str], look: Look, form: render.Format) -> Drawn | None:
    """Return a film of a round as everybody may see it; None if there is nothing to see."""
    rules = RULESETS[system]
    view, events = _seen(rules, body, happened, look)
    plain = look.plain
    caption = _title(rules, body, view, look)
    picture = render.film(view, events, caption=caption, names=look.names, form=form, beside=look.beside)
    if picture is None:
        return None
    alt = speech.alt(plain, view, events)
    return Drawn(data=picture.data, format=picture.format, alt=alt, reduced=picture.reduced)


def clip(
    system: str, body: str, happened: Sequence[str], look: Look, wanted: render.Wanted, *, before: str | None = None
) -> Clip:
    """Return a round's part of the whole game's film, and its caption.

    Of a game that is over the state `before` the round is given, and what it reveals then is shown.
    """
    rules = RULESETS[system]
    view, events = _seen(rules, body, happened, look)
    past = None
    if before is not None and rules.chronicled:
        view = _captioned(rules.revealed(read_state(rules, body)), look)
        past = rules.revealed(read_state(rules, before))
    plain = look.plain
    scene = render.Scene(
        view=view, events=events, caption=_title(rules, body, view, look), before=past, beside=look.beside
    )
    picture = render.clip(scene, wanted, look.names)
    headline = plain.say("alt.round", round=plain.text(view.phase), headline=story(plain, events, None).headline)
    return Clip(picture=picture, headline=headline)


def replay(
    system: str, body: str, look: Look, clips: tuple[render.Picture, ...], headlines: Sequence[str]
) -> Drawn | None:
    """Return one film of a game's rounds; None if there is nothing to see."""
    picture = render.join(clips)
    if picture is None:
        return None
    rules = RULESETS[system]
    alt = speech.alt(look.plain, rules.view(read_state(rules, body), None), (), headlines)
    return Drawn(data=picture.data, format=picture.format, alt=alt, reduced=picture.reduced)


def _title(rules: Ruleset[Any], body: str, view: View, look: Look) -> str:
    """Return the caption of a film: which round, and how the game ended, if it is over."""
    result = rules.result(read_state(rules, body))
    told = [look.plain.text(text) for text in (view.phase, *([result.reason] if result else []))]
    return " · ".join([*told, *_own_side(view, "round", look)])


def _seen(
    rules: Ruleset[Any],
    body: str,
    happened: Sequence[str],
    look: Look,
    *,
    seat: int | None = None,
    draft: Draft = EMPTY,
) -> tuple[View, tuple[Event, ...]]:
    """Return what a seat, or everybody, may see of a state and of the events."""
    view = _captioned(rules.view(read_state(rules, body), seat, draft), look)
    return view, tuple(e for e in read_events(rules, *happened) if e.seen_by is None or seat in e.seen_by)


def _captioned(view: View, look: Look) -> View:
    return msgspec.structs.replace(view, phase=look.caption) if look.caption else view
