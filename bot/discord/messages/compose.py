"""Makes every message of a game from how things stand now; it knows no game by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages import acts, captain, ending, lobby, notices
from bot.discord.messages.board import TEXT_MOST, Block, Button, Shown, lay_out
from bot.discord.messages.pictures import Pictures, block, lacking
from bot.life.playing import Playing
from bot.store.publications import Hash
from bot.store.records import Message
from bot.store.subjects import Announcement, Dms, Lacking, Muted
from bot.telling import ending as end
from bot.telling import story
from bot.telling.acts import MutedTold
from bot.telling.lobby import dice_words
from bot.telling.panel import title
from bot.telling.reader import Batch, Reader
from bot.telling.story import Begun, Seals, StepTold
from bot.telling.wording import called, fingerprint, place_of, words_of
from bot.words import repeats
from bot.words.i18n import Words, best
from bot.words.style import Said
from rules import fairness

TROUBLES: Final = {
    "filtered": "host.filtered",
    "locked": "host.locked",
    "no_chat": "host.no_chat",
    "threads": "host.threads",
    "uploads": "host.uploads",
    "quarantine": "host.quarantine",
}
"""What its host must know of a game's place besides permissions that are missing."""

PASSING: Final = ("remind", "standing")
"""Kinds of messages that are deleted when of what they said nothing holds any more."""

Maker = Callable[[Any, Message, Words], Awaitable[Shown | None]]
"""Lays out the facts of its kind, as `Reader.batch` gives them, in its reader's words."""


class Composer:
    """Makes messages: those of one game from what is read of it together, so that a retry shows the present."""

    def __init__(self, reader: Reader, now: Callable[[], int], overtaken: Callable[[Message], bool]) -> None:
        """`overtaken` says whether a press shows something newer than a message as its row was read."""
        self._reader = reader
        self._now = now
        self._pictures = Pictures(reader.is_overloaded, overtaken)
        self._makers: dict[str, Maker] = {
            "lobby": partial(lobby.lobby, reader, self._pictures),
            "begin": _at_once(_begin),
            "step": self._step,
            "seals": _at_once(self._seals),
            "panel": partial(captain.panel, reader, self._pictures),
            "draw": _at_once(notices.draw_offer),
            "invite": _at_once(notices.invitation),
            "dms": _at_once(_closed_dms),
            "lacking": _at_once(_lacking),
            "muted": _at_once(_muted),
            "homeless": _at_once(_homeless),
            "exiled": _at_once(_exiled),
            "deleted": _at_once(_deleted),
            "announcement": _at_once(_announcement),
            "act": partial(acts.act, reader, self._pictures),
            "counted": partial(captain.counted, reader),
            "void": _at_once(captain.void),
            "proposal": _at_once(notices.proposal),
            "remind": partial(notices.reminder, reader),
            "standing": partial(notices.useless_standing, reader),
        }
        """By kind."""

    async def load(self, messages: Sequence[Message]) -> Batch:
        """Read what messages of one game show, in one transaction."""
        return await self._reader.batch(messages)

    async def compose(self, message: Message, batch: Batch | None = None) -> tuple[Playing, Shown | None]:
        """Make a message of the outbox; None if there is nothing to show, not even where it was sent before.

        Without the `batch` that was read of it, it is read now.
        """
        batch = batch or await self.load([message])
        playing, fact = batch.playing, batch.facts[message.id]
        if fact.failed is not None:
            raise fact.failed
        reader = playing.players.get(message.user_id or 0)
        words = words_of(playing, best(reader.language) if reader else None)
        if fact.facts is None:
            self._pictures.give_up(message)
        shown = None if fact.facts is None else await self._makers[message.kind](fact.facts, message, words)
        if shown is None and message.message_id is not None and message.kind not in PASSING:
            # It was seen, and names somebody, perhaps; of what it said nothing holds any more.
            shown = lay_out([f"-# {words.say('thread.settled', number=playing.game.id)}"], mark=message.mark)
        return playing, shown

    async def _step(self, facts: StepTold, message: Message, words: Words) -> Shown:
        game, reader = facts.playing.game, self._reader
        title = [f"-# {words.say('round', round=facts.round)}"] if facts.round else []
        look = reader.look(words, facts.caption)
        draw = partial(reader.draw, game.system, facts.chapter.state, facts.chapter.events, look)
        picture = await self._pictures.of(message, (facts.chapter, look), draw)
        next_lines = story.awaited(words, facts.playing, facts.awaited, self._now())
        after = [*story.missed(words, facts), *next_lines]
        notes = ["\n".join(after)]
        hashes: tuple[Hash, ...] = ()
        won: list[Said] = []
        if facts.end:
            hashes = (Hash(what="digest", hash=facts.end.digest),)
            turned = await reader.turned(facts.end)
            won = end.result(words, facts.playing, turned)
            notes.append("\n".join(end.lines(words, facts.end, turned)))
        # What is published must have room, however much happened: the story takes what is left.
        known = await reader.known(facts)
        score = [words.text(known.score)] if known.score else []
        above = [*title, *won[1:], *score]
        room = TEXT_MOST - len("\n".join([*above, "### ", *notes]))
        told = story.told(words, facts, room, known.ships, beside="\n".join(["", *above, *after]).count("\n"))
        headline = won[0] if won else told.headline
        blocks: list[Block] = [
            "\n".join([*title, f"### {headline}", *won[1:], *score, *repeats.unsaid(told.lines, won[1:])]),
            block(words, picture),
            *notes,
        ]
        my_orders = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))
        blocks.append(
            [
                Button(label=words.say("button.log"), ref=Ref(verb="log", game=game.id)),
                Button(label=words.say("button.film"), ref=Ref(verb="film", game=game.id)),
                Button(label=words.say("button.my_view"), ref=Ref(verb="view", game=game.id)),
                *([my_orders] if next_lines else []),
                *(ending.buttons(words, game) if hashes else []),
            ]
        )
        return lacking(structs.replace(lay_out(blocks, mark=message.mark), hashes=hashes), picture)

    def _seals(self, facts: Seals, message: Message, words: Words) -> Shown | None:
        game, rows = facts.playing.game, facts.rows
        if not (told := story.seals_told(words, facts, self._now())):
            return None  # it is over, and nobody has answered: the game has gone back to before it
        blocks: list[Block] = ["\n".join(told)]
        if any(row.status != "closed" for row in rows):
            blocks.append([Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))])
        hashes = tuple(
            Hash(what="seal", hash=answer.commitment, request=answer.asked)
            for row in rows
            if (answer := facts.answers.get(row.id)) and story.shows_hash(row, answer)
        )
        return structs.replace(lay_out(blocks, mark=message.mark), hashes=hashes)


def _at_once(maker: Callable[[Any, Message, Words], Shown | None]) -> Maker:
    """A maker for which nothing must be worked out."""

    async def make(facts: object, message: Message, words: Words) -> Shown | None:
        return maker(facts, message, words)

    return make


def _begin(facts: Begun, message: Message, words: Words) -> Shown:
    playing, game = facts.playing, facts.playing.game
    users = tuple(seat.user_id for seat in playing.seats if seat.user_id)
    names = {seat.seat: words.said(words.style.text(words.names[seat.seat])) for seat in playing.seats}
    who = [words.person(seat.user_id) if seat.user_id else names[seat.seat] for seat in playing.seats]
    text = words.say("thread.begin", number=game.id, players=who, hash=fingerprint(game.seed_hash))
    if said := dice_words(words, playing):
        text = Said(f"{text}\n{words.style.small(words.say('dice.words', words=said))}")
    if facts.above:
        above = {"game": called(words, facts.above), "thread": place_of(words, facts.above.game)}
        text = Said(f"{text}\n{words.say('thread.battle_of', **above)}")
    hashes = (Hash(what="seed", hash=game.seed_hash), Hash(what="words", hash=fairness.words_hash(playing.words)))
    shown = lay_out([text], mark=message.mark, pings=users)
    return structs.replace(shown, hashes=hashes if said else hashes[:1])


def _lacking(facts: MutedTold, message: Message, words: Words) -> Shown:
    playing = facts.playing
    place = Said(f"<#{playing.game.thread_id or playing.game.channel_id}>")
    if trouble := TROUBLES.get(message.about(Lacking).permission):
        told = words.say(trouble, channel=place)
    else:
        told = words.say("host.lacking", channel=place, permission=message.about(Lacking).permission)
    if message.user_id is None and (host := playing.game.host_id):  # in the thread
        return lay_out([f"<@{host}> {told}"], mark=message.mark, pings=(host,))
    lines = [f"-# {title(words, playing)}", told, *_standing_still(facts, words)]
    return lay_out(["\n".join(lines)], mark=message.mark)


def _muted(facts: MutedTold, message: Message, words: Words) -> Shown | None:
    if facts.act is None or facts.act.id != message.about(Muted).act:
        return None
    told = words.say("channel.muted", thread=place_of(words, facts.playing.game))
    lines = [f"-# {title(words, facts.playing)}", told, *_standing_still(facts, words)]
    return lay_out(["\n".join(lines)], mark=message.mark)


def _standing_still(facts: MutedTold, words: Words) -> list[Said]:
    """That the clock stands still while the bot can't write, and who is to blame, if that is known."""
    if facts.act is None:
        return []
    blamed = [words.say("muted.by", who=words.person(facts.act.user_id))] if facts.act.user_id else []
    return [*blamed, words.say("muted.clock")]


def _homeless(playing: Playing, message: Message, words: Words) -> Shown:
    told = words.say("host.homeless", number=playing.game.id)
    return lay_out([f"-# {title(words, playing)}\n{told}"], mark=message.mark)


def _exiled(playing: Playing, message: Message, words: Words) -> Shown | None:
    if playing.game.paused_at is None:
        return None  # it goes on again
    return lay_out([f"-# {title(words, playing)}\n{words.say('captain.exiled')}"], mark=message.mark)


def _deleted(playing: Playing, message: Message, words: Words) -> Shown:
    return lay_out([words.say("thread.deleted", number=playing.game.id)], mark=message.mark)


def _announcement(_: Playing, message: Message, words: Words) -> Shown:
    return lay_out([words.say("thread.announcement", text=Said(message.about(Announcement).text))], mark=message.mark)


def _closed_dms(playing: Playing, message: Message, words: Words) -> Shown | None:
    user_id = message.about(Dms).user
    seat = playing.seat_of(user_id)
    if seat is None:
        return None
    text = f"<@{user_id}> {words.say('thread.closed_dms', who=seat.seat)}"
    button = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=playing.game.id))
    return lay_out([text, [button]], mark=message.mark, pings=(user_id,))
