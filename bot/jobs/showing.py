"""Define the jobs that show a game as pictures, films and tables in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

import render
from bot.jobs.kept import cached
from bot.jobs.stored import read_events, read_state
from bot.jobs.values import DescribedPicture, PanelContent, PanelOptions, PictureStyle, StillSettings
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.story import tell_story
from render.commission import Commission
from rules.chance.dice import Dice
from rules.core.protocol import EMPTY_DRAFT, Draft, Event, GameState, Request, Setup
from rules.core.registry import DEFAULT_SYSTEM, RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import Text, View
from rules.interface.outcomes import ShipHolder, ship_holders

S = TypeVar("S", bound=GameState)
PictureCrop = Literal["afloat", "whole", "action", "fleet"]


class PictureSubject(Struct, frozen=True, kw_only=True):
    seat: int | None = None  # seat whose view is shown; None: a spectator's view
    draft: Draft = EMPTY_DRAFT  # the seat's unfinished orders, drawn as a plan
    kind: render.PictureKind = "table"  # `table`, `plan`, `round` or one of the game
    crop: PictureCrop = "afloat"
    """`afloat`: all pieces afloat and those of the latest events, or the whole table before the first round; `whole`:
    the whole table; `action`: the latest events; `fleet`: the seat's own pieces.
    """
    width_px: int | None = None  # None: the style's width


class PlanSubject(NamedTuple):
    request: Request
    draft: Draft
    texts: tuple[Text, ...] = ()  # sentences beside the picture, such as a hint's reason, whose ships are shown


class RoundClip(Struct, frozen=True, kw_only=True):
    picture: render.Picture | None  # None: the round has nothing to show
    headline: str  # what happened in the round


class PublicStatus(Struct, frozen=True):
    ship_holders: tuple[ShipHolder, ...] = ()  # who commands each ship; empty: ships never change sides
    score: Text | None = None  # None: the game keeps none


def preload_drawing() -> None:
    rules = RULESETS[DEFAULT_SYSTEM]
    state = rules.start(Setup(system=DEFAULT_SYSTEM, teams=(0, 1)), Dice(seed="00")).state
    render.draw_still(rules.view(state, 0), kind="plan", width=StillSettings().plan_width)


@cached
def draw_panel(system: str, state_json: str, request: Request, draft: Draft, style: PictureStyle) -> PanelContent:
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    options = panel_options_at(rules, state, request, draft)
    texts = (*options.choices.lines, *options.choices.forecasts, *options.warnings)
    picture = _draw_plan(rules, state, PlanSubject(request, draft, texts), style)
    return PanelContent(**msgspec.structs.asdict(options), picture=picture)


def panel_options(system: str, state_json: str, request: Request, draft: Draft) -> PanelOptions:
    rules = RULESETS[system]
    return panel_options_at(rules, read_state(rules, state_json), request, draft)


def panel_options_at(rules: Ruleset[S], state: S, request: Request, draft: Draft) -> PanelOptions:
    view = rules.view(state, request.seat)
    return PanelOptions(
        choices=rules.draft_choices(state, request, draft),
        warnings=rules.draft_warnings(state, request, draft),
        ship_holders=ship_holders(view),
        score=view.score,
        goal=view.goal,
        nearest_enemy=view.nearest_enemy,
    )


def public_status(system: str, state_json: str) -> PublicStatus:
    """Return the ship holders (if the game's ships change sides) and the score, as everybody may see them."""
    rules = RULESETS[system]
    view = rules.view(read_state(rules, state_json), None)
    return PublicStatus(ship_holders(view) if rules.ships_change_sides else (), view.score)


def visible_holders(system: str, states: Sequence[str], seat: int | None) -> tuple[tuple[ShipHolder, ...], ...]:
    """Return the ships that a seat may see in each state, given as JSON; of an empty text none."""
    rules = RULESETS[system]
    return tuple(ship_holders(rules.view(read_state(rules, state), seat)) if state else () for state in states)


@cached
def draw_plan(system: str, state_json: str, plan: PlanSubject, style: PictureStyle) -> DescribedPicture:
    """Return the picture of a draft, with all ships and places that its lines, its warnings or `plan.texts` name."""
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    lines = rules.draft_lines(state, plan.request, plan.draft)
    warnings = rules.draft_warnings(state, plan.request, plan.draft)
    return _draw_plan(rules, state, plan._replace(texts=(*lines, *warnings, *plan.texts)), style)


def _draw_plan(rules: Ruleset[S], state: S, plan: PlanSubject, style: PictureStyle) -> DescribedPicture:
    view = _with_caption(rules.view(state, plan.request.seat, plan.draft), style)
    return _draw_view(view, (), style, _plan_subject(plan, style), frozenset(names_in(plan.texts)))


def _plan_subject(plan: PlanSubject, style: PictureStyle) -> PictureSubject:
    return PictureSubject(seat=plan.request.seat, kind="plan", crop="action", width_px=style.stills.plan_width)


def draw_plan_legend(
    system: str, state_json: str, plan: PlanSubject, style: PictureStyle
) -> tuple[DescribedPicture, ...]:
    """Return the legend of the picture that `draw_plan` draws, without the ships that only its texts name."""
    rules = RULESETS[system]
    view = rules.view(read_state(rules, state_json), plan.request.seat, plan.draft)
    return _draw_legend([make_commission(view, (), style, _plan_subject(plan, style))], style)


def draw_table_legend(
    system: str, state_json: str, events_json: Sequence[str], style: PictureStyle, subject: PictureSubject
) -> tuple[DescribedPicture, ...]:
    """Return a legend of the table as a seat sees it, with the seat's plan, and of what the events left on it."""
    rules = RULESETS[system]
    view, events = visible_part(rules, state_json, events_json, style, seat=subject.seat, draft=subject.draft)
    story = msgspec.structs.replace(subject, kind="table", draft=EMPTY_DRAFT)
    commissions = [
        make_commission(view, (), style, subject),
        make_commission(view, events, style, story),
    ]
    return _draw_legend(commissions, style)


def _draw_legend(commissions: Sequence[Commission[Any]], style: PictureStyle) -> tuple[DescribedPicture, ...]:
    localizer = style.plain_localizer

    def say_mark(mark: str) -> str:
        return localizer.say(f"mark.{mark}")

    return tuple(
        DescribedPicture(
            data=legend.picture.data,
            format=legend.picture.format,
            alt_text="\n".join(map(say_mark, legend.marks)),
        )
        for legend in render.draw_legends(commissions, say_mark, style.stills.format)
    )


def names_in(texts: Iterable[Text]) -> Iterator[str]:
    """Yield the words of sentences' parameters, among them ids of ships and places; lists of ids are split."""
    for text in texts:
        for value in text.params.values():
            if isinstance(value, str):
                yield from filter(None, re.split(r"[^\w]+", value))
            elif isinstance(value, tuple):
                yield from names_in(part for part in value if isinstance(part, Text))


@cached
def draw_state(
    system: str, state_json: str, events_json: Sequence[str], style: PictureStyle, subject: PictureSubject
) -> DescribedPicture:
    view, events = visible_part(
        RULESETS[system], state_json, events_json, style, seat=subject.seat, draft=subject.draft
    )
    return _draw_view(view, events, style, subject)


def draw_final_state(
    system: str, state_json: str, events_json: Sequence[str], style: PictureStyle, subject: PictureSubject
) -> DescribedPicture:
    rules = RULESETS[system]
    view = _with_caption(rules.final_view(read_state(rules, state_json)), style)
    return _draw_view(
        view, [event for event in read_events(rules, *events_json) if event.seen_by is None], style, subject
    )


def _draw_view(
    view: View,
    events: Sequence[Event],
    style: PictureStyle,
    subject: PictureSubject,
    named: frozenset[str] = frozenset(),
) -> DescribedPicture:
    commission = replace(make_commission(view, events, style, subject), named=named)
    picture = render.draw_commission(commission, style.stills.format)
    return DescribedPicture(
        data=picture.data, format=picture.format, alt_text=speech.alt_text(style.plain_localizer, view, events)
    )


def make_commission(
    view: View, events: Sequence[Event], style: PictureStyle, subject: PictureSubject
) -> Commission[Any]:
    """Return what to draw and how: crop, ships in focus, caption and width."""
    crop = subject.crop
    pieces_afloat = [piece for piece in view.pieces if piece.afloat]
    named_in_events = {ship for event in events for ship in event.ship_ids}
    focus_by_crop = {
        "afloat": tuple(piece.id for piece in view.pieces if piece.afloat or piece.id in named_in_events),
        "fleet": tuple(piece.id for piece in pieces_afloat if piece.seat == subject.seat),
    }
    caption_parts = [_short_caption(view, style.plain_localizer), *_viewpoint_note(view, subject.kind, style)]
    shows_whole_table = crop == "whole" or (crop == "afloat" and not view.round)  # before the first round
    return Commission(
        view=view,
        events=events,
        kind=subject.kind,
        caption=" · ".join(caption_parts),
        names=style.names,
        width=subject.width_px or style.stills.width_px,
        crop="whole" if shows_whole_table else "action",
        focus=focus_by_crop.get(crop, ()),
        viewpoint_seat=style.viewpoint_seat,
    )


def _short_caption(view: View, localizer: Localizer) -> str:
    # A phase may have a shorter text for captions.
    caption_key = f"{view.phase.key}.caption"
    if localizer.catalogue.has(caption_key):
        return localizer.say_text(msgspec.structs.replace(view.phase, key=caption_key))
    return localizer.say_text(view.phase)


def _viewpoint_note(view: View, kind: render.PictureKind, style: PictureStyle) -> list[str]:
    """Return a note that the picture is turned to the seat's side of the table; nothing if it is not."""
    is_turned = render.is_turned(view, kind, style.viewpoint_seat)
    return [style.plain_localizer.say("caption.own_side")] if is_turned else []


def draw_chart(setup: Setup, style: PictureStyle, width: int) -> DescribedPicture:
    """Return a picture of the map of a game without ships.

    Raises `OrderError` if the host's own scenario cannot be read.
    """
    rules = RULESETS[setup.system]
    view = _with_caption(rules.view(rules.chart_state(setup), None), style)
    return _draw_view(view, (), style, PictureSubject(crop="whole", width_px=width))


class DescribedTable(Struct, frozen=True, kw_only=True):
    picture: DescribedPicture  # the table as the same reader sees it
    pages: tuple[str, ...]  # the table in words, in parts that fit into a message


def describe_table(
    system: str, state_json: str, events_json: Sequence[str], style: PictureStyle, subject: PictureSubject
) -> DescribedTable | None:
    """Return a state as one seat or a spectator sees it, in a picture and in words.

    Returns None if the events have no content for this kind of picture.
    """
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    if events_json and not render.has_content(rules.view(state, None), read_events(rules, *events_json), subject.kind):
        return None
    view = rules.view(state, subject.seat, subject.draft)
    events = read_events(rules, *events_json)
    visible_events = tuple(event for event in events if event.seen_by is None or subject.seat in event.seen_by)
    picture = _draw_view(_with_caption(view, style), visible_events, style, subject)
    return DescribedTable(picture=picture, pages=tuple(speech.table_pages(style.localizer, view)))


def film_round(
    system: str,
    state_json: str,
    events_json: Sequence[str],
    style: PictureStyle,
    form: render.FilmFormat,
    *,
    state_before: str | None = None,
) -> DescribedPicture | None:
    """Return a film of a round as a seat saw it; None if it shows nothing.

    With `state_before`, the state before the round, it also shows what the seat knew then, such as where its fleets
    came from.
    """
    rules = RULESETS[system]
    view, events = visible_part(rules, state_json, events_json, style, seat=style.viewpoint_seat)
    localizer = style.plain_localizer
    caption = _film_title(rules, state_json, view, style)
    seat = style.viewpoint_seat
    view_before = None if state_before is None else rules.view(read_state(rules, state_before), seat)
    picture = render.draw_film(
        view,
        events,
        caption=caption,
        names=style.names,
        form=form,
        viewpoint_seat=seat,
        before=view_before,
    )
    if picture is None:
        return None
    alt_text = speech.alt_text(localizer, view, events)
    return DescribedPicture(data=picture.data, format=picture.format, alt_text=alt_text, is_reduced=picture.reduced)


def film_clip(
    system: str,
    state_json: str,
    events_json: Sequence[str],
    style: PictureStyle,
    clip_request: render.ClipRequest,
    *,
    state_before: str | None = None,
) -> RoundClip:
    """Return one round's part of the whole game's film, with its headline.

    With `state_before`, the state before the round of a finished game, the film shows what was secret then if the game
    has a chronicle.
    """
    rules = RULESETS[system]
    view, events = visible_part(rules, state_json, events_json, style, seat=style.viewpoint_seat)
    view_before = None
    if state_before is not None and rules.has_chronicle:
        view = _with_caption(rules.final_view(read_state(rules, state_json)), style)
        view_before = rules.final_view(read_state(rules, state_before))
    localizer = style.plain_localizer
    scene = render.Scene(
        view=view,
        events=events,
        caption=_film_title(rules, state_json, view, style),
        before=view_before,
        viewpoint_seat=style.viewpoint_seat,
    )
    picture = render.draw_clip(scene, clip_request, style.names)
    story = tell_story(localizer, events, None)
    headline = localizer.say("alt.round", round=localizer.say_text(view.phase), headline=story.headline)
    return RoundClip(picture=picture, headline=headline)


def join_clips(
    system: str, state_json: str, style: PictureStyle, clips: tuple[render.Picture, ...], headlines: Sequence[str]
) -> DescribedPicture | None:
    picture = render.join_clips(clips)
    if picture is None:
        return None
    rules = RULESETS[system]
    alt_text = speech.alt_text(style.plain_localizer, rules.view(read_state(rules, state_json), None), (), headlines)
    return DescribedPicture(data=picture.data, format=picture.format, alt_text=alt_text, is_reduced=picture.reduced)


def _film_title(rules: Ruleset[Any], state_json: str, view: View, style: PictureStyle) -> str:
    result = rules.result(read_state(rules, state_json))
    parts = [style.plain_localizer.say_text(view.phase)]
    if result:
        parts.append(style.plain_localizer.say_text(result.reason))
    return " · ".join([*parts, *_viewpoint_note(view, "round", style)])


def visible_part(
    rules: Ruleset[Any],
    state_json: str,
    events_json: Sequence[str],
    style: PictureStyle,
    *,
    seat: int | None = None,
    draft: Draft = EMPTY_DRAFT,
) -> tuple[View, tuple[Event, ...]]:
    """Return the view and events that a seat may see; None as seat: what everybody may see."""
    view = _with_caption(rules.view(read_state(rules, state_json), seat, draft), style)
    events = read_events(rules, *events_json)
    return view, tuple(event for event in events if event.seen_by is None or seat in event.seen_by)


def _with_caption(view: View, style: PictureStyle) -> View:
    return msgspec.structs.replace(view, phase=style.caption) if style.caption else view
