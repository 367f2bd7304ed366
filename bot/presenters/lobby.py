"""A lobby: what is agreed, who sits where, what is in the dice, and what its host may choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct

from bot.errors import Refusal
from bot.lifecycle.steps.early import is_solo_lobby
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import charts, story, times
from bot.presenters.source import GameSource
from bot.presenters.wording import computer_captain_name, game_title, refusal_text
from bot.store.models import subjects
from bot.store.models.records import OutboxMessage, SeatRow
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.errors import OrderError
from rules.core.protocol import OptionSpec, Setup
from rules.core.registry import RULESETS


class LobbyFacts(Struct, frozen=True, kw_only=True):
    """A game that has not begun, or how it began."""

    seated_game: SeatedGame
    subject: subjects.LobbySubject
    now_s: int
    """Unix seconds."""
    default_options: dict[str, str]
    """What the game begins with if nobody chooses."""
    options: tuple[OptionSpec, ...]
    accepts_scenario: bool
    """Whether its host may hand in a scenario, or take one back."""

    @property
    def has_choices(self) -> bool:
        """Whether anything differs from the default, with which a game can always begin."""
        setup = self.seated_game.game.setup
        return setup.scenario is not UNSET or setup.options != self.default_options

    @property
    def has_chart(self) -> bool:
        """Whether there is a chart of what is chosen."""
        return charts.has_chart(self.seated_game.game.setup)

    @property
    def is_open(self) -> bool:
        """Whether one may still join and choose."""
        return self.seated_game.game.phase == "lobby"

    @property
    def invited_users(self) -> tuple[int, ...]:
        """Users who have a seat kept for them: they are notified when the lobby opens."""
        seats = self.seated_game.seats
        return tuple(seat.kept_for for seat in seats if self.is_open and seat.kept_for and not seat.user_id)

    @property
    def seats_not_agreed(self) -> list[int]:
        """Seats whose captains added a word before one was changed."""
        return [seat.seat for seat in self.seated_game.seats if seat.word is not None and not seat.word_agreed]


async def read_lobby(source: GameSource, message: OutboxMessage, now: int) -> LobbyFacts:
    """The lobby as it is."""
    rules, setup = RULESETS[source.game.system], source.game.setup
    options = rules.relevant_options(setup.options)
    # Where another choice has settled what is drawn, a scenario of one's own has no room.
    room = rules.accepts_scenario and {*rules.chart_options} <= {spec.key for spec in options}
    if setup.scenario is not UNSET:  # beside a host's own there is nothing to choose, but what is in its way
        options = tuple(
            spec for spec in options if spec.key not in rules.chart_options or setup.options[spec.key] != spec.default
        )
    return LobbyFacts(
        seated_game=source.seated_game,
        subject=message.subject_as(subjects.LobbySubject),
        now_s=now,
        default_options={spec.key: spec.default for spec in rules.options},
        options=options,
        accepts_scenario=room or setup.scenario is not UNSET,
    )


def chart_variants(playing: SeatedGame, key: str) -> tuple[Setup, ...]:
    """The game with each value of an option of which there are charts; none of any other option."""
    return charts.chart_variants(playing.game.setup, key)


def chart_options(playing: SeatedGame) -> tuple[str, ...]:
    """The options of which there are charts."""
    return RULESETS[playing.game.system].chart_options


def example_scenario(words: Localizer, system: str) -> str:
    """Return a scenario to start from when writing one, in the reader's language if the game has it in that."""
    own = "scenario.example"
    return words.say(own) if words.catalogue.has(own) else RULESETS[system].example_scenario


def summary_text(words: Localizer, facts: LobbyFacts) -> str:
    """What is agreed, in short lines: what is played and how fast, what is chosen, and once it has begun the rest.

    Of a game that one captain has begun against the computer not the rest: nobody else has agreed to anything.
    """
    told = _setting_lines(words, facts)
    if facts.is_open or sum(seat.user_id is not None for seat in facts.seated_game.seats) > 1:
        friendly = not facts.seated_game.is_rated or any(seat.computer for seat in facts.seated_game.seats)
        told.append(words.say("lobby.unrated" if friendly else "lobby.rated"))
        told += [] if facts.is_open else _deadline_lines(words, facts)
    return "\n".join([title_text(words, facts), *map(words.style.list_item, told)])


def title_text(words: Localizer, facts: LobbyFacts) -> str:
    """Which game it is."""
    return words.style.heading(game_title(words, facts.seated_game), 2)


def team_lines(words: Localizer, facts: LobbyFacts) -> list[str]:
    """Who sits where, a line each side, and who is away."""
    playing = facts.seated_game
    lines: list[str] = [_free_for_all_text(words, playing)] if is_free_for_all(playing) else []
    lines += (
        [] if lines else [_team_line(words, playing, team) for team in sorted({seat.team for seat in playing.seats})]
    )
    if facts.is_open:
        lines += story.absence_lines(words, playing, [seat.seat for seat in playing.seats], facts.now_s)
    return lines


def dice_lines(words: Localizer, facts: LobbyFacts) -> list[Markup]:
    """The fingerprint of the dice, and what captains have added to them."""
    said, hint = dice_word_lines(words, facts.seated_game), words.say("dice.hint")
    return [
        *(_not_agreed_lines(words, facts) if facts.is_open else []),
        words.say("dice.fingerprint", hash=facts.seated_game.game.seed_hash),
        *([words.say("dice.words", words=said)] if said else []),
        *([hint] if facts.is_open else []),
    ]


def _not_agreed_lines(words: Localizer, facts: LobbyFacts) -> list[Markup]:
    """Whose word in the dice is older than what was changed, and what that means for them."""
    host = facts.seated_game.seat_of(facts.seated_game.game.host_id)
    others = [seat for seat in facts.seats_not_agreed if host is None or seat != host.seat]
    if others:
        return [words.say("dice.unagreed", who=others)]
    return [words.say("dice.host_agrees", who=facts.seats_not_agreed)] if facts.seats_not_agreed else []


def dice_word_lines(words: Localizer, playing: SeatedGame) -> list[Markup]:
    """Every word in the dice, with whose it is; nothing where there is none."""
    return [words.say("dice.word", who=seat.seat, word=seat.word) for seat in playing.seats if seat.word is not None]


def hint_lines(words: Localizer, facts: LobbyFacts, refused: OrderError | Refusal | None) -> list[str]:
    """What was changed last, why it cannot begin so, and what anybody may do next."""
    return [*change_lines(words, facts), *fault_lines(words, refused), _next_steps(words, facts.seated_game)]


def change_lines(words: Localizer, facts: LobbyFacts) -> list[Markup]:
    """What the host changed last, if anything."""
    if facts.subject.option not in facts.seated_game.game.setup.options:
        return []
    dropped = [
        words.to_markup(f"{words.say(f'option.{key}')}: {name_value(words, key, value).name}")
        for key, value in facts.subject.dropped.items()
        if words.catalogue.has(f"option.{key}.{value}")
    ]
    return [_change_text(words, facts), *([words.say("lobby.dropped", was=dropped)] if dropped else [])]


def fault_lines(words: Localizer, refused: OrderError | Refusal | None) -> list[Markup]:
    """Why a game cannot begin as it is chosen, if it cannot."""
    return [words.say("lobby.faulty", why=refusal_text(words, refused))] if refused else []


def note_lines(words: Localizer, facts: LobbyFacts) -> list[str]:
    """What need not be read at once: about the map or scenario, who may read and change the game, deadlines."""
    private = [words.say("lobby.private")] if facts.seated_game.game.private else []
    chooses = [words.say("lobby.host_chooses")] if any(len(spec.values) > 1 for spec in facts.options) else []
    return [*_description_lines(words, facts), *private, *chooses, *_deadline_lines(words, facts)]


def _description_lines(words: Localizer, facts: LobbyFacts) -> list[Markup]:
    """What the chosen map or scenario is about: the picture's caption has little room for that."""
    found = charts.chart_option(facts.seated_game.game.setup)
    told = name_value(words, *found) if found else NamedValue(words.to_markup(""), "")
    return [words.say("lobby.about", name=told.name, note=words.to_markup(told.note))] if told.note else []


def option_description(words: Localizer, key: str) -> str:
    """What an option is about, where its name does not say enough."""
    about = f"option.{key}.means"
    return words.say(about) if words.catalogue.has(about) else ""


class NamedValue(NamedTuple):
    """A value of an option in words."""

    name: str
    note: str
    """What it is about, for where there is room; empty if its name says enough."""


def name_value(words: Localizer, key: str, value: str) -> NamedValue:
    """A value's name, and the note that stands behind a colon in its words."""
    name, _, note = words.say(f"option.{key}.{value}").partition(": ")
    return NamedValue(words.to_markup(name), note)


def _change_text(words: Localizer, facts: LobbyFacts) -> Markup:
    """What the host changed last, for those who have read the lobby before."""
    note = facts.subject
    value, option = facts.seated_game.game.setup.options[note.option], f"option.{note.option}"
    known = words.catalogue.has(f"{option}.{note.before}")
    was = name_value(words, note.option, note.before).name if known else Markup(note.before)
    now = name_value(words, note.option, value).name
    return words.say("lobby.changed", option=words.say(option), now=now, before=was)


def _next_steps(words: Localizer, playing: SeatedGame) -> Markup:
    """Return what one may press next: Join only if there is that button, and a free seat."""
    host = words.mention(playing.game.host_id)
    free = [seat for seat in playing.seats if seat.is_free]
    if not free:
        return words.say("lobby.full", who=host)
    kept = [words.mention(seat.kept_for) for seat in free if seat.kept_for]
    if len(kept) == len(free):
        return words.say("lobby.awaited", who=kept)
    return words.say("lobby.hint", who=host, start=words.say("button.start_with_computer", n=len(free)))


def _setting_lines(words: Localizer, facts: LobbyFacts) -> list[str]:
    """What is played and how fast, and what is chosen, as far as it isn't the usual."""
    playing = facts.seated_game
    game, setup = playing.game, playing.game.setup
    pace = words.say(
        "lobby.settings", system=words.say("game"), pace=times.public_pace_text(words, game.pace, facts.now_s)
    )
    matters = {spec.key for spec in facts.options}
    options = {key: value for key, value in setup.options.items() if key in matters}
    told = {key: value for key, value in options.items() if value != facts.default_options.get(key)}
    if not facts.is_open:  # no lists say any more what is played
        told = dict(list(options.items())[:1]) | told
    chosen = [f"{words.say(f'option.{key}')}: {name_value(words, key, value).name}" for key, value in told.items()]
    chosen += [] if setup.scenario is UNSET else [words.say("lobby.scenario")]
    if not facts.is_open and len(told) < len(options):
        chosen.append(words.say("lobby.else_usual"))
    choice = words.to_markup(" · ".join(chosen)) or words.say("lobby.as_it_comes")
    return [pace, *([choice] if chosen or facts.is_open else [])]


def _deadline_lines(words: Localizer, facts: LobbyFacts) -> list[str]:
    """Whether they can be put off, and what becomes of who misses one."""
    game = facts.seated_game.game
    time = [words.say("lobby.extensions", n=game.extensions)] if game.extensions else []
    if not game.early:
        time.append(words.say("lobby.patient_with_people" if is_solo_lobby(facts.seated_game) else "lobby.patient"))
    return [*([words.to_markup(" ".join(time))] if time else []), words.say(f"lobby.missed.{game.setup.missed}")]


def is_free_for_all(playing: SeatedGame) -> bool:
    """Whether more than two captains play against each other, so that nobody has a side to choose."""
    teams = {seat.team for seat in playing.seats}
    return len(teams) == len(playing.seats) > 2


def _free_for_all_text(words: Localizer, playing: SeatedGame) -> Markup:
    return words.say("lobby.captains", members=_member_list(words, playing, playing.seats))


def _team_line(words: Localizer, playing: SeatedGame, team: int) -> Markup:
    members = _member_list(words, playing, [seat for seat in playing.seats if seat.team == team])
    name = words.say(f"team.{team}")
    return words.say("lobby.team", team=words.to_markup(name[:1].upper() + name[1:]), members=members)


def _member_list(words: Localizer, playing: SeatedGame, there: Sequence[SeatRow]) -> Markup:
    seats = [_seat_text(words, playing, seat) for seat in there]
    members = [member for member in seats if member is not None]
    members += [words.count_noun("unit.free_seat", seats.count(None))] if None in seats else []
    return words.to_markup(", ".join(members))


def _seat_text(words: Localizer, playing: SeatedGame, seat: SeatRow) -> str | None:
    """Who sits there, or who it is kept for; None if anybody may sit there."""
    if seat.computer:
        return words.as_markup(computer_captain_name(words.catalogue, playing, seat.seat))
    if seat.user_id:
        return words.mention(seat.user_id)
    if seat.name is not None:
        return words.say("lobby.named", who=seat.name)
    return words.say("lobby.kept", who=words.mention(seat.kept_for)) if seat.kept_for else None
