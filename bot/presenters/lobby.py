"""A game's lobby: its settings, seats and dice, and what its host may choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET, Struct

from bot.errors import Refusal
from bot.lifecycle.steps.early import is_solo_lobby
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import charts, story, times
from bot.presenters.source import GameSource
from bot.presenters.wording import computer_captain_name, game_title, refusal_text
from bot.store.models import subjects
from bot.store.models.records import LogEntryRow, OutboxMessage, SeatRow
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.errors import OrderError
from rules.core.protocol import OptionSpec, Setup
from rules.core.registry import RULESETS

LOBBY_ENDINGS: Final = ("lobby_ended", "lobby_over", "lobby_lost")


class LobbyFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    subject: subjects.LobbySubject  # which option was changed last
    now_s: int  # when it was read (Unix seconds)
    default_options: dict[str, str]  # values by key
    options: tuple[OptionSpec, ...]  # options that matter with the present choices
    accepts_scenario: bool
    """Whether the host may hand in a scenario of their own, or remove it."""
    ending: LogEntryRow | None = None  # why it was called off; None: its host did it, or it was not

    @property
    def has_choices(self) -> bool:
        """Whether any setting differs from the defaults, which are always playable."""
        setup = self.seated_game.game.setup
        return setup.scenario is not UNSET or setup.options != self.default_options

    @property
    def has_chart(self) -> bool:
        return charts.has_chart(self.seated_game.game.setup)

    @property
    def is_open(self) -> bool:
        return self.seated_game.game.phase == "lobby"

    @property
    def invited_users(self) -> tuple[int, ...]:
        seats = self.seated_game.seats
        return tuple(seat.kept_for for seat in seats if self.is_open and seat.kept_for and not seat.user_id)


async def read_lobby(source: GameSource, message: OutboxMessage, now: int) -> LobbyFacts:
    rules, setup, is_over = RULESETS[source.game.system], source.game.setup, source.game.phase == "cancelled"
    options = rules.relevant_options(setup.options)
    # A custom scenario is accepted only if no other option has replaced the chart's options.
    relevant_keys = {spec.key for spec in options}
    accepts_scenario = rules.accepts_scenario and relevant_keys.issuperset(rules.chart_options)
    if setup.scenario is not UNSET:  # it replaces the chart's options, except those that conflict with it
        options = tuple(
            spec for spec in options if spec.key not in rules.chart_options or setup.options[spec.key] != spec.default
        )
    endings = [entry for entry in await source.audit_log() if entry.kind in LOBBY_ENDINGS] if is_over else []
    return LobbyFacts(
        ending=endings[-1] if endings else None,
        seated_game=source.seated_game,
        subject=message.subject_as(subjects.LobbySubject),
        now_s=now,
        default_options={spec.key: spec.default for spec in rules.options},
        options=options,
        accepts_scenario=accepts_scenario or setup.scenario is not UNSET,
    )


def chart_variants(seated_game: SeatedGame, key: str) -> tuple[Setup, ...]:
    """Return the setup with each value of an option that has charts; empty for other options."""
    return charts.chart_variants(seated_game.game.setup, key)


def chart_options(seated_game: SeatedGame) -> tuple[str, ...]:
    return RULESETS[seated_game.game.system].chart_options


def example_scenario(localizer: Localizer, system: str) -> str:
    """Return an example scenario, in the reader's language if the game has it in that language."""
    key = "scenario.example"
    return localizer.say(key) if localizer.catalogue.has(key) else RULESETS[system].example_scenario


def summary_text(localizer: Localizer, facts: LobbyFacts) -> str:
    """Return the title and the settings in short lines.

    Rating and deadlines are left out if a single person has begun against the computer, because nobody else agreed to
    them.
    """
    lines = _setting_lines(localizer, facts)
    if facts.seated_game.game.is_match:
        lines.append(localizer.say("lobby.match"))
    if facts.is_open or sum(seat.user_id is not None for seat in facts.seated_game.seats) > 1:
        is_unrated = not facts.seated_game.is_rated or any(seat.computer for seat in facts.seated_game.seats)
        lines.append(localizer.say("lobby.unrated" if is_unrated else "lobby.rated"))
        lines += [] if facts.is_open else _deadline_lines(localizer, facts)
    return "\n".join([title_text(localizer, facts), *map(localizer.style.list_item, lines)])


def title_text(localizer: Localizer, facts: LobbyFacts) -> str:
    return localizer.style.heading(game_title(localizer, facts.seated_game), 2)


def team_lines(localizer: Localizer, facts: LobbyFacts) -> list[str]:
    """Return a line for each side with its captains and, while the lobby is open, who is away."""
    seated_game = facts.seated_game
    if is_free_for_all(seated_game):
        lines: list[str] = [_free_for_all_text(localizer, seated_game)]
    else:
        teams = sorted({seat.team for seat in seated_game.seats})
        lines = [_team_line(localizer, seated_game, team) for team in teams]
    if facts.is_open:
        lines += story.absence_lines(localizer, seated_game, [seat.seat for seat in seated_game.seats], facts.now_s)
    return lines


def dice_lines(localizer: Localizer, facts: LobbyFacts) -> list[Markup]:
    """Return the hash of the dice's seed, the captains' words for them and, while the lobby is open, what to do."""
    dice_words = dice_word_lines(localizer, facts.seated_game)
    lines = [localizer.say("dice.fingerprint", hash=facts.seated_game.game.seed_hash)]
    if dice_words:
        lines.append(localizer.say("dice.words", words=dice_words))
    lines += abandoned_lines(localizer, facts.seated_game)
    if not facts.is_open:
        return lines
    return [*_not_agreed_lines(localizer, facts), *lines, localizer.say("dice.hint")]


def _not_agreed_lines(localizer: Localizer, facts: LobbyFacts) -> list[Markup]:
    """Return whose agreement is missing; to others' words for the dice the host agrees by starting the game."""
    host_seat = facts.seated_game.seat_of(facts.seated_game.game.host_id)
    seats_not_agreed = facts.seated_game.seats_not_agreed
    captains_not_agreed = [seat for seat in seats_not_agreed if host_seat is None or seat != host_seat.seat]
    guests = facts.seated_game.guests_not_agreed
    lines = [localizer.say("lobby.terms_changed", who=guests)] if guests else []
    if captains_not_agreed:
        return [*lines, localizer.say("dice.unagreed", who=captains_not_agreed)]
    return [*lines, localizer.say("dice.host_agrees", who=seats_not_agreed)] if seats_not_agreed else lines


def dice_word_lines(localizer: Localizer, seated_game: SeatedGame) -> list[Markup]:
    return [
        localizer.say("dice.word", who=seat.seat, word=seat.word) for seat in seated_game.seats if seat.word is not None
    ]


def abandoned_lines(localizer: Localizer, seated_game: SeatedGame) -> list[Markup]:
    """Return how often captains, or others in their games, threw away dice with words of others before this game."""
    return [
        localizer.say(key, who=seat.seat, count=count)
        for seat in seated_game.seats
        for key, count in (
            ("dice.abandoned", seat.abandoned),
            ("dice.abandoned_by_others", seat.abandoned_by_others),
        )
        if count
    ]


def hint_lines(localizer: Localizer, facts: LobbyFacts, error: OrderError | Refusal | None) -> list[str]:
    return [*change_lines(localizer, facts), *fault_lines(localizer, error), _next_steps(localizer, facts.seated_game)]


def change_lines(localizer: Localizer, facts: LobbyFacts) -> list[Markup]:
    """Return which option was changed last, and which other choices that reset; empty if none was changed."""
    if facts.subject.option not in facts.seated_game.game.setup.options:
        return []
    dropped_choices = [
        localizer.to_markup(f"{localizer.say(f'option.{key}')}: {name_value(localizer, key, value).name}")
        for key, value in facts.subject.dropped.items()
        if localizer.catalogue.has(f"option.{key}.{value}")
    ]
    lines = [_change_text(localizer, facts)]
    if dropped_choices:
        lines.append(localizer.say("lobby.dropped", was=dropped_choices))
    return lines


def fault_lines(localizer: Localizer, error: OrderError | Refusal | None) -> list[Markup]:
    return [localizer.say("lobby.faulty", why=refusal_text(localizer, error))] if error else []


def note_lines(localizer: Localizer, facts: LobbyFacts) -> list[str]:
    """Return what need not be read at once: the map or scenario, privacy, who chooses, and deadlines."""
    lines: list[str] = [*_description_lines(localizer, facts)]
    if facts.seated_game.game.private:
        lines.append(localizer.say("lobby.private"))
    has_choice = any(len(spec.values) > 1 for spec in facts.options)
    if has_choice:
        lines.append(localizer.say("lobby.host_chooses"))
    return [*lines, *_deadline_lines(localizer, facts)]


def _description_lines(localizer: Localizer, facts: LobbyFacts) -> list[Markup]:
    """Return the description of the chosen map or scenario, which is too long for the picture's caption."""
    option = charts.chart_option(facts.seated_game.game.setup)
    if option is None:
        return []
    key, value = option
    name, note = name_value(localizer, key, value)
    return [localizer.say("lobby.about", name=name, note=localizer.to_markup(note))] if note else []


def option_description(localizer: Localizer, key: str) -> str:
    key_of_description = f"option.{key}.means"
    return localizer.say(key_of_description) if localizer.catalogue.has(key_of_description) else ""


class NamedValue(NamedTuple):
    name: str  # the text up to its first colon
    note: str  # explains the name; may be empty


def name_value(localizer: Localizer, key: str, value: str) -> NamedValue:
    """Split a value's text at the first colon into name and note."""
    name, _, note = localizer.say(f"option.{key}.{value}").partition(": ")
    return NamedValue(localizer.to_markup(name), note)


def _change_text(localizer: Localizer, facts: LobbyFacts) -> Markup:
    """Return which option was changed last, with its old and its new value."""
    key, old_value = facts.subject.option, facts.subject.before
    new_value = facts.seated_game.game.setup.options[key]
    is_old_value_named = localizer.catalogue.has(f"option.{key}.{old_value}")
    old_name = name_value(localizer, key, old_value).name if is_old_value_named else Markup(old_value)
    new_name = name_value(localizer, key, new_value).name
    return localizer.say("lobby.changed", option=localizer.say(f"option.{key}"), now=new_name, before=old_name)


def _next_steps(localizer: Localizer, seated_game: SeatedGame) -> Markup:
    """Return what users can do next. The button Join is mentioned only if a free seat is not reserved."""
    host = localizer.mention(seated_game.game.host_id)
    free_seats = [seat for seat in seated_game.seats if seat.is_free]
    if not free_seats:
        return localizer.say("lobby.full", who=host)
    invited = [localizer.mention(seat.kept_for) for seat in free_seats if seat.kept_for]
    if len(invited) == len(free_seats):
        return localizer.say("lobby.awaited", who=invited)
    return localizer.say("lobby.hint", who=host, start=localizer.say("button.start_with_computer", n=len(free_seats)))


def _setting_lines(localizer: Localizer, facts: LobbyFacts) -> list[str]:
    """Return a line with the game and its pace, and one with the options that differ from the defaults."""
    seated_game = facts.seated_game
    game, setup = seated_game.game, seated_game.game.setup
    pace_text = times.public_pace_text(localizer, game.pace, facts.now_s)
    game_line = localizer.say("lobby.settings", system=localizer.say("game"), pace=pace_text)
    relevant_keys = {spec.key for spec in facts.options}
    options = {key: value for key, value in setup.options.items() if key in relevant_keys}
    shown_options = {key: value for key, value in options.items() if value != facts.default_options.get(key)}
    if not facts.is_open:  # the menus, which showed the first option, are gone
        shown_options = dict(list(options.items())[:1]) | shown_options
    choices = [
        f"{localizer.say(f'option.{key}')}: {name_value(localizer, key, value).name}"
        for key, value in shown_options.items()
    ]
    choices += [] if setup.scenario is UNSET else [localizer.say("lobby.scenario")]
    if not facts.is_open and len(shown_options) < len(options):
        choices.append(localizer.say("lobby.else_usual"))
    choice_text = localizer.to_markup(" · ".join(choices)) or localizer.say("lobby.as_it_comes")
    return [game_line, choice_text] if choices or facts.is_open else [game_line]


def _deadline_lines(localizer: Localizer, facts: LobbyFacts) -> list[str]:
    game = facts.seated_game.game
    sentences = [localizer.say("lobby.extensions", n=game.extensions)] if game.extensions else []
    if not game.early:
        sentences.append(
            localizer.say("lobby.patient_with_people" if is_solo_lobby(facts.seated_game) else "lobby.patient")
        )
    if_missed = localizer.say(f"lobby.missed.{game.setup.missed}")
    return [localizer.to_markup(" ".join(sentences)), if_missed] if sentences else [if_missed]


def is_free_for_all(seated_game: SeatedGame) -> bool:
    """Return whether more than two captains play, each on a side of their own."""
    teams = {seat.team for seat in seated_game.seats}
    return len(teams) == len(seated_game.seats) > 2


def _free_for_all_text(localizer: Localizer, seated_game: SeatedGame) -> Markup:
    return localizer.say("lobby.captains", members=_member_list(localizer, seated_game, seated_game.seats))


def _team_line(localizer: Localizer, seated_game: SeatedGame, team: int) -> Markup:
    members = _member_list(localizer, seated_game, [seat for seat in seated_game.seats if seat.team == team])
    name = localizer.say(f"team.{team}")
    return localizer.say("lobby.team", team=localizer.to_markup(name[:1].upper() + name[1:]), members=members)


def _member_list(localizer: Localizer, seated_game: SeatedGame, rows: Sequence[SeatRow]) -> Markup:
    """Return who has these seats, then how many anybody may take."""
    seat_texts = [_seat_text(localizer, seated_game, seat) for seat in rows]
    members = [text for text in seat_texts if text is not None]
    free_count = len(seat_texts) - len(members)
    if free_count:
        members.append(localizer.count_noun("unit.free_seat", free_count))
    return localizer.to_markup(", ".join(members))


def _seat_text(localizer: Localizer, seated_game: SeatedGame, seat: SeatRow) -> str | None:
    """Return who has the seat or who it is reserved for; None if anybody may take it."""
    if seat.computer:
        return localizer.as_markup(computer_captain_name(localizer.catalogue, seated_game, seat.seat))
    if seat.user_id:
        return localizer.mention(seat.user_id)
    if seat.name is not None:
        return localizer.say("lobby.named", who=seat.name)
    return localizer.say("lobby.kept", who=localizer.mention(seat.kept_for)) if seat.kept_for else None
