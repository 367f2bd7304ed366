"""Makes every message of a game from how things stand now; it knows no game by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages import acts, captain, ending, lobby, notices
from bot.discord.messages import dice as dice_words
from bot.discord.messages.board import TEXT_MOST, Block, Button, Shown, lay_out
from bot.discord.messages.pictures import Pictures, block, lacking
from bot.discord.messages.wording import short, telling, words_of
from bot.doors.table import Table
from bot.errors import Refusal
from bot.life.enqueue import asking, told_steps
from bot.life.playing import Playing
from bot.store.publications import Hash
from bot.store.records import Answer, Message, RequestRow, SeatRow
from bot.words import speech
from bot.words.i18n import Words, best
from bot.words.style import Said
from bot.work import showing, stored
from rules import fairness
from rules.registry import RULESETS
from rules.view import Text

TROUBLES: Final = {
    "filtered": "host.filtered",
    "locked": "host.locked",
    "no_chat": "host.no_chat",
    "threads": "host.threads",
}
"""What its host must know of a game's place besides permissions that are missing."""

PASSING: Final = ("remind", "standing")
"""Kinds of messages that are deleted when of what they said nothing holds any more."""


class Composer:
    """Makes messages. Each kind's maker reads what it needs when it is called, so that a retry shows the present."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._pictures = Pictures()
        self._makers: dict[str, Callable[[Message, Playing, Words], Awaitable[Shown | None]]] = {
            "lobby": partial(lobby.lobby, table),
            "begin": self._begin,
            "step": self._step,
            "seals": self._seals,
            "panel": partial(captain.panel, table, self._pictures),
            "draw": self._draw_offer,
            "dms": self._closed_dms,
            "lacking": self._lacking,
            "homeless": self._homeless,
            "exiled": self._exiled,
            "act": partial(acts.act, table),
            "counted": partial(captain.counted, table),
            "void": captain.void,
            "proposal": partial(notices.proposal, table),
            "remind": partial(notices.reminder, table),
            "standing": partial(notices.useless_standing, table),
        }
        """By kind; each is given the words of him for whom the message is, or those of the game."""

    async def compose(self, message: Message) -> tuple[Playing, Shown | None]:
        """Make a message of the outbox; None if there is nothing to show, not even where it was sent before."""
        playing = await self._table.playing(message.game_id)
        reader = playing.players.get(message.user_id or 0)
        words = words_of(playing, best(reader.language) if reader else None)
        shown = await self._makers[message.kind](message, playing, words)
        if shown is None and message.message_id is not None and message.kind not in PASSING:
            # It was seen, and names somebody, perhaps; of what it said nothing holds any more.
            shown = lay_out([f"-# {words.say('thread.settled', number=playing.game.id)}"], mark=message.id)
        return playing, shown

    async def _begin(self, message: Message, playing: Playing, words: Words) -> Shown:
        game = playing.game
        users = tuple(seat.user_id for seat in playing.seats if seat.user_id)
        text = words.say(
            "thread.begin",
            number=game.id,
            players=[seat.seat for seat in playing.seats],
            hash=game.seed_hash,
        )
        if said := dice_words.listed(words, playing):
            text = Said(f"{text}\n{words.say('dice.words', words=said)}")
        mentions = " ".join(f"<@{user}>" for user in users)
        hashes = (Hash(what="seed", hash=game.seed_hash), Hash(what="words", hash=fairness.words_hash(playing.words)))
        shown = lay_out([f"{text}\n{mentions}"], mark=message.id, pings=users)
        return structs.replace(shown, hashes=hashes if said else hashes[:1])

    async def _step(self, message: Message, playing: Playing, words: Words) -> Shown:
        game = playing.game
        first, no = told_steps(message)
        async with self._table.store.read() as tx:
            steps = [step for number in range(first, no + 1) if (step := await tx.steps.find(game.id, number))]
            asked = await tx.requests.of(game.id, step_no=no - 1)
            next_asked = await tx.requests.of(game.id, step_no=no)
            told_in = await telling(tx, playing, words, *steps)
        if not steps:
            raise Refusal("not_started")
        rules = RULESETS[game.system]
        round_no = max((row.body.round for row in asked), default=0)
        title = [f"-# {words.say('round', round=round_no)}"] if round_no else []
        after_round = round_no and next_asked and not any(row.body.live for row in next_asked)
        caption = Text("after_round", {"round": round_no}) if after_round else None
        look = self._table.look(words, caption)
        # The picture shows the whole round so far, also where a captain was asked something in its middle.
        told = await self._table.told(game.id, await self._table.chapter_until(game.id, no))
        draw = partial(self._table.workers.draw, showing.draw, game.system, told.state, told.events, look)
        picture = await self._pictures.of(message, (told, look), draw)
        hashes: tuple[Hash, ...] = ()
        following = [row for row in next_asked if row.body.clock and not row.optional]
        following = [row for row in following if playing.seats[row.seat].user_id is not None]
        next_lines = notices.awaited(words, playing, following, self._table.now())
        notes = ["\n".join([*await self._late(words, game.id, first, no), *next_lines])]
        if game.phase == "over" and no == game.step_no:
            digest = game.digest or (await self._table.archive.finished(game.id)).digest
            hashes = (Hash(what="digest", hash=digest),)
            said = await ending.lines(self._table, playing, words, state=steps[-1].state, digest=digest)
            notes.append("\n".join(said))
        # What is published must have room, however much happened: the story takes what is left.
        room = TEXT_MOST - len("\n".join([*title, "### ", *notes]))
        events = stored.read_events(rules, *(step.events for step in steps))
        waits = any(row.body.live for row in next_asked)
        nothing = "headline.waits" if waits else "headline.quiet"
        story = speech.story(told_in, events, None, min(room, speech.MESSAGE_MOST), nothing=nothing)
        blocks: list[Block] = [
            "\n".join([*title, f"### {story.headline}", *story.lines]),
            block(words, picture),
            *notes,
        ]
        my_orders = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))
        blocks.append(
            [
                Button(label=words.say("button.log"), ref=Ref(verb="log", game=game.id, version=message.id)),
                Button(label=words.say("button.film"), ref=Ref(verb="film", game=game.id, version=message.id)),
                Button(label=words.say("button.my_view"), ref=Ref(verb="view", game=game.id)),
                *([my_orders] if next_lines else []),
                *(ending.buttons(words, game.id) if hashes else []),
            ]
        )
        return lacking(structs.replace(lay_out(blocks, mark=message.id), hashes=hashes), picture)

    async def _late(self, words: Words, game_id: int, first: int, last: int) -> list[Said]:
        """Who was to act in these steps, and let his time pass."""
        async with self._table.store.read() as tx:
            acts = [row for row in await tx.requests.since(game_id, first - 1) if row.step_no < last and row.body.clock]
            given = await tx.answers.to(game_id, [row.id for row in acts])
        late = {answer.seat for answer in given.values() if answer.given_by == "deadline"}
        return [words.say("thread.missed_line", who=seat) for seat in sorted(late)]

    async def _seals(self, message: Message, playing: Playing, words: Words) -> Shown | None:
        game = playing.game
        no, clock = asking(message)
        async with self._table.store.read() as tx:
            if clock:
                # What is asked last says whether he still acts.
                rows = [row for row in await tx.requests.since(game.id, no) if row.body.clock == clock][-1:]
            else:
                rows = [row for row in await tx.requests.of(game.id, step_no=no) if _is_shown(row)]
            answers = await tx.answers.to(game.id, [row.id for row in rows])
        if not rows:
            return None
        lines = [_seal_line(words, playing.seats[row.seat], row, answers.get(row.id)) for row in rows]
        blocks: list[Block] = ["\n".join([*notices.awaited(words, playing, rows, self._table.now()), *lines])]
        if any(row.status != "closed" for row in rows):
            blocks.append([Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))])
        hashes = tuple(
            Hash(what="seal", hash=answer.commitment, request=answer.asked)
            for row in rows
            if (answer := answers.get(row.id)) and _shows_hash(row, answer)
        )
        return structs.replace(lay_out(blocks, mark=message.id), hashes=hashes)

    async def _draw_offer(self, message: Message, playing: Playing, words: Words) -> Shown | None:
        game, no = playing.game, int(message.ref)
        offering = [seat.seat for seat in playing.seats if seat.draw_at == no]
        if not offering:
            return None
        text = "\n".join(words.say("thread.draw_offered", who=seat) for seat in offering)
        if game.phase not in ("running", "resolving") or game.step_no != no:
            return lay_out([text], mark=message.id)
        others = [seat for seat in playing.seats if seat.seat not in offering and not seat.conceded]
        pings = tuple(seat.user_id for seat in others if seat.user_id)
        mentions = " ".join(f"<@{user_id}>" for user_id in pings)
        agree = Button(label=words.say("button.agree"), ref=Ref(verb="draw", game=game.id))
        decline = Button(label=words.say("button.decline"), ref=Ref(verb="decline_draw", game=game.id))
        return lay_out([f"{mentions} {text}".strip(), [agree, decline]], mark=message.id, pings=pings)

    async def _lacking(self, message: Message, playing: Playing, words: Words) -> Shown:
        place = Said(f"<#{playing.game.thread_id or playing.game.channel_id}>")
        title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
        if trouble := TROUBLES.get(message.ref):
            told = words.say(trouble, channel=place)
        else:
            told = words.say("host.lacking", channel=place, permission=message.ref)
        return lay_out([f"-# {title}\n{told}"], mark=message.id)

    async def _homeless(self, message: Message, playing: Playing, words: Words) -> Shown:
        game = playing.game
        title = words.say("panel.title", name=game.name, number=game.id)
        return lay_out([f"-# {title}\n{words.say('host.homeless', number=game.id)}"], mark=message.id)

    async def _exiled(self, message: Message, playing: Playing, words: Words) -> Shown | None:
        game = playing.game
        if game.paused_at is None:
            return None  # it goes on again
        title = words.say("panel.title", name=game.name, number=game.id)
        return lay_out([f"-# {title}\n{words.say('captain.exiled')}"], mark=message.id)

    async def _closed_dms(self, message: Message, playing: Playing, words: Words) -> Shown | None:
        game, user_id = playing.game, int(message.ref or 0)
        seat = playing.seat_of(user_id)
        if seat is None:
            return None
        text = f"<@{user_id}> {words.say('thread.closed_dms', who=seat.seat)}"
        button = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))
        return lay_out([text, [button]], mark=message.id, pings=(user_id,))


def _shows_hash(row: RequestRow, answer: Answer) -> bool:
    """Whether the line of a captain who has answered shows the hash of his answer."""
    return answer.given_by != "deadline" and not row.body.clock


def _is_shown(row: RequestRow) -> bool:
    """Whether a list of seals has a line for it: what may be answered ahead only if it was."""
    return not row.optional or (row.body.ahead and row.status != "open")


def _seal_line(words: Words, seat: SeatRow, row: RequestRow, answer: Answer | None) -> Said:
    """How far a captain is with what he is asked; of acts on a clock it is the last that counts."""
    if answer and answer.given_by == "deadline":
        return words.say("thread.missed_line", who=seat.seat)
    if row.body.clock:
        return words.say("thread.acting_line" if row.status == "open" else "thread.acted_line", who=seat.seat)
    if answer is None:
        return words.say("thread.waiting_line", who=seat.seat)
    key = "thread.computer_line" if seat.computer else "thread.sealed_line"
    return words.say(key, who=seat.seat, hash=short(answer.commitment))
