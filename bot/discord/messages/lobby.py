"""The message of a lobby: what is agreed, who sits where, and how one joins."""

from __future__ import annotations

from discord import ButtonStyle
from msgspec import UNSET, structs

from bot.discord.ids import Ref
from bot.discord.messages import dice as dice_words
from bot.discord.messages import notices, paging, times
from bot.discord.messages.board import OPTIONS_MOST, Block, Button, Pick, Select, Shown, lay_out
from bot.discord.messages.choosing import labels
from bot.discord.messages.wording import computer_name, refusal_text, words_of
from bot.doors import lobby as rooms
from bot.doors import options
from bot.doors.table import Table
from bot.errors import Refusal
from bot.life.enqueue import LobbyNote
from bot.life.playing import Playing
from bot.store.publications import Hash
from bot.store.records import Message, SeatRow
from bot.words.i18n import Words
from bot.words.style import Said
from rules.errors import OrderError
from rules.registry import RULESETS


async def lobby(table: Table, message: Message, playing: Playing, words: Words) -> Shown:
    """The lobby as it is; until the game begins with buttons, and with its options for its host to choose."""
    game, note = playing.game, LobbyNote.read(message.ref)
    title = "## " + words.say("lobby.title", name=game.name, number=game.id)
    settings = [f"- {line}" for line in _settings(words, playing, table.now())]
    teams: list[str] = [_team(words, playing, team) for team in sorted({seat.team for seat in playing.seats})]
    if game.phase == "lobby":
        teams += notices.absences(words, playing, [seat.seat for seat in playing.seats], table.now())
    blocks: list[Block] = ["\n".join([title, *settings]), "\n".join(teams), "\n".join(_dice(words, playing))]
    if game.phase == "cancelled":
        blocks.append(words.say("lobby.cancelled"))
    elif game.phase != "lobby":
        thread = f"<#{game.thread_id}>" if game.thread_id else "…"
        blocks.append(words.say("lobby.started", thread=Said(thread)))
    else:
        pages = _open(words, playing, note, blocks, await _refused(table, playing))
        blocks = pages[min(note.page, len(pages) - 1)]
    return structs.replace(
        lay_out(blocks, mark=message.id, pings=_invited(playing)), hashes=(Hash(what="seed", hash=game.seed_hash),)
    )


async def as_it_is(table: Table, game_id: int, message_id: int) -> tuple[Playing, Shown | None]:
    """A game, and its lobby as it must be seen now in that message; None if it stands in another. Raises `Refusal`."""
    playing = await table.playing(game_id)
    async with table.store.read() as tx:
        message = await tx.messages.find(game_id, "lobby")
    here = message is not None and message.message_id == message_id
    return playing, await lobby(table, message, playing, words_of(playing)) if message and here else None


def _open(
    words: Words, playing: Playing, note: LobbyNote, above: list[Block], refused: OrderError | Refusal | None
) -> list[list[Block]]:
    """The pages of an open lobby, below what stands above them all."""
    game = playing.game
    hints = [_what_next(words, playing), *([words.say("lobby.private")] if game.private else [])]
    offered = _choices(words, playing)
    hints += [words.say("lobby.host_chooses")] if offered else []
    changed = [_changed(words, playing, note)] if note.key in game.setup.options else []
    faulty = [words.say("lobby.faulty", why=refusal_text(words, refused))] if refused else []
    return paging.pages(
        words,
        above=above,
        lines=[*changed, *faulty, *hints],
        last_line="",
        offered=offered,
        below=[_buttons(words, playing)],
        turn=lambda page: Ref(verb="options", game=game.id, token=str(page)),
    )


async def _refused(table: Table, playing: Playing) -> OrderError | Refusal | None:
    """Why a game cannot begin as its host has chosen; as it comes by itself it always can."""
    setup = playing.game.setup
    if setup.scenario is UNSET and setup.options == options.defaults(RULESETS[setup.system]):
        return None
    return await table.trials.why_not(setup)


def _choices(words: Words, playing: Playing) -> list[Block]:
    """A select for each option of the game between which there is anything to choose."""
    game = playing.game
    words, found = labels(words), list[Block]()
    for spec in RULESETS[game.system].options:
        name, means = words.say(f"option.{spec.key}"), _means(words, spec.key)
        picks = [
            Pick(
                label=f"{name}: {words.say(f'option.{spec.key}.{value}')}",
                value=value,
                description=means if game.setup.options.get(spec.key) == value else "",
                chosen=game.setup.options.get(spec.key) == value,
            )
            for value in spec.values
        ]
        for number, start in enumerate(range(0, len(picks) if len(picks) > 1 else 0, OPTIONS_MOST)):
            ref = Ref(verb="option", game=game.id, request=str(number or ""), token=spec.key)
            found.append(Select(hint=name, ref=ref, picks=tuple(picks[start : start + OPTIONS_MOST])))
    return found


def _means(words: Words, key: str) -> str:
    """What an option is about, where its name does not say enough."""
    about = f"option.{key}.means"
    return words.say(about) if words.catalogue.has(about) else ""


def _changed(words: Words, playing: Playing, note: LobbyNote) -> Said:
    """What the host changed last, for those who have read the lobby before."""
    value, option = playing.game.setup.options[note.key], f"option.{note.key}"
    before = f"{option}.{note.before}"
    was = words.say(before) if words.catalogue.has(before) else Said(note.before)
    return words.say("lobby.changed", option=words.say(option), now=words.say(f"{option}.{value}"), before=was)


def _invited(playing: Playing) -> tuple[int, ...]:
    """For whom seats are kept: they are notified when the lobby opens."""
    open_now = playing.game.phase == "lobby"
    return tuple(seat.kept_for for seat in playing.seats if open_now and seat.kept_for and not seat.user_id)


def _dice(words: Words, playing: Playing) -> list[Said]:
    """The fingerprint of the dice, and what captains have added to them."""
    lines = [words.say("dice.fingerprint", hash=playing.game.seed_hash)]
    if said := dice_words.listed(words, playing):
        lines.append(words.say("dice.words", words=said))
    if playing.game.phase == "lobby":
        lines.append(words.say("dice.hint"))
        if waiting := rooms.unagreed(playing):
            lines.append(words.say("dice.unagreed", who=[seat.seat for seat in waiting]))
    return lines


def _what_next(words: Words, playing: Playing) -> Said:
    """What anybody may press next: Join only if he finds that button, and a free seat."""
    host = Said(f"<@{playing.game.host_id}>")
    free = [seat for seat in playing.seats if seat.free]
    if not free:
        return words.say("lobby.full", who=host)
    kept = [Said(f"<@{seat.kept_for}>") for seat in free if seat.kept_for]
    return words.say("lobby.awaited", who=kept) if len(kept) == len(free) else words.say("lobby.hint", who=host)


def _settings(words: Words, playing: Playing, now: int) -> list[str]:
    """What is agreed, in four short lines at most: what is played and how fast, what is chosen, and the rest."""
    game, setup = playing.game, playing.game.setup
    pace = words.say("lobby.settings", system=words.say("game"), pace=times.rhythm_for_all(words, game.pace, now))
    usual = options.defaults(RULESETS[game.system])
    told = {key: value for key, value in setup.options.items() if value != usual.get(key)}
    if game.phase != "lobby":  # no lists say any more what is played
        told = dict(list(setup.options.items())[:1]) | told
    chosen = [f"{words.say(f'option.{key}')}: {words.say(f'option.{key}.{value}')}" for key, value in told.items()]
    chosen += [] if setup.scenario is UNSET else [words.say("lobby.scenario")]
    if game.phase != "lobby" and len(told) < len(setup.options):
        chosen.append(words.say("lobby.else_usual"))
    time = [words.say("lobby.extensions", n=game.extensions)] if game.extensions else []
    time += [] if game.early else [words.say("lobby.patient")]
    friendly = not playing.rated or any(seat.computer for seat in playing.seats)
    rest = [words.say("lobby.missed", missed=setup.missed), *([words.say("lobby.unrated")] if friendly else [])]
    return [
        pace,
        *([" · ".join(chosen) or words.say("lobby.as_it_comes")] if chosen or game.phase == "lobby" else []),
        *([" ".join(time)] if time else []),
        " · ".join(rest),
    ]


def _team(words: Words, playing: Playing, team: int) -> Said:
    members = [_member(words, playing, seat) for seat in playing.seats if seat.team == team]
    name = words.say(f"team.{team}")
    return words.say("lobby.team", team=Said(name[:1].upper() + name[1:]), members=Said(", ".join(members)))


def _member(words: Words, playing: Playing, seat: SeatRow) -> str:
    if seat.computer:
        return computer_name(words.catalogue, playing, seat.seat)
    if seat.user_id:
        return f"<@{seat.user_id}>"
    if seat.name is not None:
        return words.say("lobby.named", who=seat.name)
    if seat.kept_for:
        return words.say("lobby.kept", who=Said(f"<@{seat.kept_for}>"))
    return words.count("unit.free_seat", 1)


def _buttons(words: Words, playing: Playing) -> list[Button]:
    words = labels(words)
    game = playing.game
    free = [seat for seat in playing.seats if seat.free]
    teams = sorted({seat.team for seat in free})
    several = len(playing.seats) > 2
    joins = [
        Button(
            label=words.say("button.join_team", team=str(team)) if several else words.say("button.join"),
            ref=Ref(verb="join", game=game.id, token=str(team)),
            style=ButtonStyle.primary,
        )
        for team in teams
    ]
    takes = RULESETS[game.system].takes_scenario
    scenario = Button(label=words.say("button.scenario"), ref=Ref(verb="scenario", game=game.id))
    alone = sum(seat.user_id is not None for seat in playing.seats) <= 1  # a host who leaves calls it off
    start = words.say("button.start_with_computer", n=len(free)) if free else words.say("button.start")
    return [
        *joins,
        *([scenario] if takes else []),
        Button(label=words.say("button.call_off" if alone else "button.leave"), ref=Ref(verb="leave", game=game.id)),
        Button(
            label=words.say("button.add_word"), ref=Ref(verb="word", game=game.id, request=rooms.words_token(playing))
        ),
        Button(
            label=start,
            ref=Ref(verb="start", game=game.id, request=rooms.words_token(playing)),
            style=ButtonStyle.secondary if free else ButtonStyle.success,
        ),
    ]
