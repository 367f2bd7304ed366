"""What a captain sees of his orders, and nobody else: his panel, what is left of it, and hints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages import choosing, ending, paging, times, wording
from bot.discord.messages.board import Block, Button, Picture, Shown, lay_out, shortened
from bot.discord.messages.choosing import Meaning, labels
from bot.discord.messages.pictures import Pictures, block, lacking
from bot.doors.orders import Asked
from bot.doors.table import Table
from bot.errors import Refusal
from bot.life import seats
from bot.life.playing import Playing
from bot.store.records import Message, RequestRow
from bot.words import speech
from bot.words.i18n import Words
from bot.words.style import Said
from bot.work import drafts, showing, stored
from bot.work.drafts import Hint
from bot.work.showing import Drawn, Offer
from rules.protocol import Choices, Draft, Result
from rules.registry import RULESETS
from rules.view import Text

HEAD_MOST: Final = 1000
"""Characters of a panel's title and of what is asked."""
MISSED_MOST: Final = 3000
"""Characters of what is said to somebody who has missed a deadline."""
STORY_MOST: Final = 800
"""Characters of what has happened since he was last asked."""
HINT_MOST: Final = 3000
"""Characters of what the first mate would do; if it is more, the first page of it."""
MISSING_MOST: Final = 600
"""Characters in which it is said what is missing."""


async def panel(table: Table, pictures: Pictures, message: Message, playing: Playing, words: Words) -> Shown | None:
    """A captain's panel as the outbox sends it; None if it was never sent, and he is asked this no more."""
    try:
        asked = await table.orders.asked(message.user_id or 0, message.game_id, message.ref)
    except Refusal:
        return None if message.message_id is None else await left(table, message, playing, words)
    broken = await _is_broken(table, asked)
    note = words.say("panel.unsealed") if broken else ""
    offer = await offer_of(table, asked)
    subject = (asked.state, asked.row.body, asked.row.drafted, table.look(words))
    picture = await pictures.of(message, subject, partial(plan, table, asked, words))
    shown = laid_out(words, asked, offer, block(words, picture), mark=message.id, note=note)
    return lacking(shown, picture)


async def left(table: Table, message: Message, playing: Playing, words: Words) -> Shown:
    """What a panel says that was closed, until something else is asked: what came of it, or that he was late."""
    seat = playing.seat_of(message.user_id or 0)
    if seat is None:
        return closed_panel(playing, words, lost=True, mark=message.id)
    missed = await _missed(table, message, playing, words)
    told = await _ended(table, playing, words, seat.seat) if playing.game.phase == "over" or not missed else []
    return closed_panel(playing, words, told=[*missed, *told], mark=message.id)


def closed_panel(
    playing: Playing,
    words: Words,
    *,
    lost: bool = False,
    told: Sequence[str] = (),
    link: str = "",
    mark: int | None = None,
) -> Shown:
    """What is left of a panel when its question has been answered, or his seat is lost: what is `told`, no buttons.

    What is told in another message of his is found by its `link`, else all of it in the thread.
    """
    title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
    place = link or (f"<#{playing.game.thread_id}>" if playing.game.thread_id else "")
    over = "panel.over" if playing.game.phase == "over" else "panel.closed"
    closed = words.say("panel.lost" if lost else over)
    return lay_out(["\n".join([f"-# {title}", *told, f"{closed} {place}".rstrip()])], mark=mark)


async def ended(table: Table, playing: Playing, words: Words, user_id: int) -> list[str]:
    """What has happened last, as one captain may see it; nothing for whoever is none."""
    seat = playing.seat_of(user_id)
    return await _ended(table, playing, words, seat.seat) if seat else []


async def _ended(table: Table, playing: Playing, words: Words, seat: int) -> list[str]:
    game = playing.game
    async with table.store.read() as tx:
        step = await tx.steps.find(game.id, game.step_no)
    events = stored.read_events(RULESETS[game.system], step.events) if step else ()
    story = _quoted(speech.story(words, events, seat, STORY_MOST), words)
    result = RULESETS[game.system].result(stored.read_state(RULESETS[game.system], step.state)) if step else None
    return [*([_fared(words, seat, result)] if result else []), *story]


def _fared(words: Words, seat: int, result: Result) -> str:
    """How a game that is over has ended for one captain, and why."""
    key = "won" if seat in result.winners else "lost" if result.winners else "drawn"
    return "\n".join([words.say(f"fared.{key}"), ending.why_over(words, result.reason)])


def _quoted(told: speech.Story, words: Words) -> list[str]:
    """A story as far as there is anything to tell: a round that still goes on is not called quiet."""
    quiet = told.headline == words.say("headline.quiet")
    return [*([] if quiet else [f"> **{told.headline}**"]), *(f"> {line}" for line in told.lines)]


async def _is_broken(table: Table, asked: Asked) -> bool:
    """Whether a captain has had a seal upon what he is asked, of which all know, and it is broken."""
    if asked.answer or not asked.row.draft:
        return False
    async with table.store.read() as tx:
        known = [one.what for one in await tx.published.of(asked.row.game_id) if one.request == asked.row.id]
    return known[-1:] == ["broken"]


async def _missed(table: Table, message: Message, playing: Playing, words: Words) -> list[str]:
    """That a captain let his time pass, and what was answered for him, in words; nothing if he answered."""
    game = playing.game
    async with table.store.read() as tx:
        asked = await tx.requests.find(game.id, message.ref)
        if asked is None:
            return []
        rows = [asked]
        if asked.body.clock:
            rows = [row for row in await tx.requests.since(game.id, 0) if row.body.clock == asked.body.clock]
        answers = await tx.answers.to(game.id, [row.id for row in rows])
        late = [row for row in rows if row.id in answers and answers[row.id].given_by == "deadline"]
        states = {row.id: step.state for row in late if (step := await tx.steps.find(game.id, row.step_no))}
    if not late:
        return []
    when = words.say("round", round=late[0].body.round) if late[0].body.round else ""
    lines: list[str] = [words.say("panel.missed_round", when=when) if when else words.say("panel.missed")]
    lines += [words.say("panel.draft_dropped")] if any(row.draft for row in late) else []
    lines.append(words.say(f"missed_by.{game.setup.missed}"))
    for row in late:
        given = Draft(answers[row.id].body)
        choices = await table.workers.run(drafts.choices, game.system, states[row.id], row.body, given)
        lines += [words.text(line) for line in choices.lines]
    seat = playing.seats[asked.seat]
    if seat.offered:
        lines.append(words.say("panel.missed_offered"))
    elif seat.missed:
        lines.append(words.say("panel.missed_more", more=seats.MISSED_MOST - seat.missed))
    return [shortened("\n".join(lines), MISSED_MOST)]


async def panel_of(
    table: Table, asked: Asked, words: Words, *, mark: int | None = None, page: int = 0, note: str = ""
) -> Shown:
    """A captain's panel: what is asked, his draft on the table, and what he may press on a page of it, from 0.

    A `note` stands below his orders. Raises `Refusal` if too many pictures are made for whoever asks.
    """
    if asked.worked and asked.worked.offer:
        return laid_out(
            words, asked, asked.worked.offer, await plan(table, asked, words), mark=mark, page=page, note=note
        )
    game, row, look = asked.playing.game, asked.row, table.look(words)
    shown = await table.workers.draw(showing.panel, game.system, asked.state, row.body, row.drafted, look)
    return laid_out(words, asked, shown, shown.picture, mark=mark, page=page, note=note)


async def plan(table: Table, asked: Asked, words: Words) -> Drawn:
    """A captain's draft on the table. Raises `Refusal` if too many pictures are made for whoever asks."""
    game, row = asked.playing.game, asked.row
    return await table.workers.draw(showing.plan, game.system, asked.state, row.body, row.drafted, table.look(words))


async def offer_of(table: Table, asked: Asked) -> Offer:
    """What a captain may make of his draft."""
    if asked.worked and asked.worked.offer:
        return asked.worked.offer
    game, row = asked.playing.game, asked.row
    return await table.workers.run(showing.offer, game.system, asked.state, row.body, row.drafted)


def laid_out(
    words: Words,
    asked: Asked,
    offer: Offer,
    picture: Picture | str,
    *,
    mark: int | None = None,
    page: int = 0,
    note: str = "",
    advice: Advice | None = None,
) -> Shown:
    """A page of a captain's panel, from 0, with his draft; with the picture that is there, words for it, or nothing."""
    found = pages_of(words, asked, offer, picture, note=note, advice=advice)
    return lay_out(found[min(page, len(found) - 1)], mark=mark)


def pages_of(
    words: Words,
    asked: Asked,
    offer: Offer,
    picture: Picture | str,
    *,
    note: str = "",
    advice: Advice | None = None,
) -> list[list[Block]]:
    """All pages of a captain's panel; mostly there is but one. Advice that he has asked for stands above his orders."""
    choices = offer.choices
    game, row = asked.playing.game, asked.row
    head = [
        "### " + words.say("panel.title", name=game.name, number=game.id),
        *_story(words, asked),
        words.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
        words.say("panel.ahead") if row.body.ahead else times.deadline(words, game, row.deadline),
    ]
    if asked.answer:
        groups: Sequence[Block] = ()
        # What is carried out at once is under no seal; only in a pause there is time to think better of it.
        waits = row.body.sealed or game.paused_at is not None
        controls = [control(words, row, "unseal")] if waits else []
    else:
        forms = choosing.form_buttons(words, choices.forms, lambda token: _ref(row, "form", token))
        groups = choosing.packed([*choosing.blocks(words, choices.groups, _meaning(row)), forms])
        # Where a press answers at once, only what was typed waits for a seal.
        waiting = bool(row.draft) or not _seals_itself(choices)
        sealing = [seal(words, row, disabled=bool(choices.missing))] if waiting else []
        advised = asked.playing.practice and RULESETS[game.system].questions[row.body.kind].advised
        hint = [control(words, row, "hint")] if advised else []
        controls = [*sealing, control(words, row, "type"), *hint]
    return paging.pages(
        words,
        above=[shortened("\n".join(head), HEAD_MOST + STORY_MOST), *([picture] if picture else [])],
        lines=[
            *(advice.lines(words) if advice else ()),
            *(words.text(line) for line in choices.lines),
            *(words.say("panel.warning", what=words.text(warning)) for warning in offer.warnings),
            *choosing.why_grey(words, () if asked.answer else choices.groups),
        ],
        last_line="\n".join(filter(None, [note, _readiness(words, asked, choices)])),
        offered=groups,
        below=[*([[advice.take(words, row)]] if advice else ()), controls],
        turn=lambda page: Ref(verb="page", game=row.game_id, request=row.id, version=row.version, token=str(page)),
    )


def _story(words: Words, asked: Asked) -> list[str]:
    """What has happened since the captain was last asked something, as his seat may see it."""
    rules = RULESETS[asked.playing.game.system]
    events = stored.read_events(rules, *asked.happened)
    told_in = wording.without(asked.playing, words, asked.late)
    return _quoted(speech.story(told_in, events, asked.row.seat, STORY_MOST), words)


def _readiness(words: Words, asked: Asked, choices: Choices) -> str:
    """Whether a draft is sealed, or may be, or what is missing."""
    row = asked.row
    if asked.answer:
        return sealed(words, asked)
    if choices.missing:
        return unfinished(words, asked, choices)
    return ready(words, row) if row.draft or not _seals_itself(choices) else ""


def ready(words: Words, row: RequestRow) -> Said:
    """That a draft may be sealed; what is no secret is carried out."""
    return words.say("panel.ready" if row.body.sealed else "panel.ready_open")


def sealed(words: Words, asked: Asked) -> Said:
    """That a captain has answered; of what is no secret not that it is sealed."""
    if not asked.row.body.sealed:
        return words.say("panel.taken_paused" if asked.playing.game.paused_at is not None else "panel.taken")
    hashed = asked.answer.commitment if asked.answer else ""
    return words.say("panel.inherited" if asked.row.inherited else "panel.sealed", hash=wording.short(hashed))


def unfinished(words: Words, asked: Asked, choices: Choices) -> str:
    """What is missing; and of a plan that is begun, that it counts for nothing if the time is up."""
    lines: list[str] = [words.say("panel.missing", what=missing(words, choices.missing))]
    if asked.row.draft and asked.row.deadline is not None:
        lines.append(words.say(f"unfinished.{asked.playing.game.setup.missed}"))
    return "\n".join(lines)


def missing(words: Words, texts: Sequence[Text]) -> Said:
    """What is missing, as much of it as a message has room for besides all else."""
    told, room = [words.text(text) for text in texts], MISSING_MOST
    for number, text in enumerate(told):
        room -= len(text) + len("; ")
        if room < 0 and number:
            return Said("; ".join([*told[:number], words.say("panel.and_more", n=len(told) - number)]))
    return Said(shortened("; ".join(told), MISSING_MOST))


async def counted(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """What a captain's plan was that counted though he had not sealed it; None if the seat is his no more."""
    async with table.store.read() as tx:
        row = await tx.requests.find(message.game_id, message.ref)
        answers = await tx.answers.to(message.game_id, [message.ref])
    if row is None or playing.seats[row.seat].user_id != (message.user_id or 0):
        return None
    title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
    text = words.say("panel.counted", text=answers[row.id].body)
    return lay_out([f"-# {title}\n{text}"], mark=message.id)


async def void(message: Message, playing: Playing, words: Words) -> Shown | None:
    """That what he had answered ahead cannot be carried out, and he is asked; None if the seat is his no more."""
    if playing.seat_of(message.user_id or 0) is None:
        return None
    title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
    return lay_out([f"-# {title}\n{words.say('panel.void')}"], mark=message.id)


def link_to(panel: Message) -> Said:
    """Where somebody's panel stands in his direct messages."""
    return Said(f"https://discord.com/channels/@me/{panel.channel_id}/{panel.message_id}")


class Advice(NamedTuple):
    """What the first mate would do with these whims (hex), and why."""

    found: Hint
    whims: str

    def lines(self, words: Words) -> list[str]:
        """It in words."""
        told = speech.paged([*map(words.text, self.found.lines)], HINT_MOST)[:1]
        return [words.say("hint.suggestion"), *told, words.text(self.found.reason)]

    def take(self, words: Words, row: RequestRow) -> Button:
        """The button that does so."""
        ref = Ref(verb="take", game=row.game_id, request=row.id, token=self.whims)
        return Button(label=labels(words).say("button.take"), ref=ref, style=ButtonStyle.primary)


def _seals_itself(choices: Choices) -> bool:
    return any(option.seals for group in choices.groups for option in group.options)


def control(words: Words, row: RequestRow, verb: str) -> Button:
    """One of the buttons at a panel's end."""
    ref = Ref(verb=verb, game=row.game_id, request=row.id, version=row.version)
    return Button(label=labels(words).say(f"button.{verb}"), ref=ref)


def seal(words: Words, row: RequestRow, *, disabled: bool = False) -> Button:
    """The button that seals, where there is anything to be sealed; of what is no secret, that carries it out."""
    return Button(
        label=labels(words).say("button.seal" if row.body.sealed else "button.carry_out"),
        ref=Ref(verb="seal", game=row.game_id, request=row.id, version=row.version),
        style=ButtonStyle.success,
        disabled=disabled,
    )


def _meaning(row: RequestRow) -> Meaning:
    """What is pressed in the panel of a request."""
    return Meaning(
        press=lambda option: _ref(row, "press", option.token),
        pick=lambda name: _ref(row, "pick", name),
    )


def _ref(row: RequestRow, verb: str, token: str) -> Ref:
    return Ref(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)
