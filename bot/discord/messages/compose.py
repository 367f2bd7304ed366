"""Makes every message of a game from how things stand now; it knows no game by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.messages import acts, captain, ending, lobby, notices
from bot.discord.messages.board import MAX_TEXT_CHARS, Button, LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.pictures import PictureCache, picture_block, with_pending_picture
from bot.life.playing import SeatedGame
from bot.store.publications import ShownHash
from bot.store.records import OutboxMessage
from bot.store.subjects import AnnouncementSubject, ClosedDmsSubject, MissingPermissionSubject, MutedSubject
from bot.telling import ending as end
from bot.telling import story
from bot.telling.acts import MutedFacts
from bot.telling.lobby import dice_word_lines
from bot.telling.panel import panel_title
from bot.telling.reader import MessageBatch, Reader
from bot.telling.story import SealFacts, StartFacts, StepFacts
from bot.telling.wording import game_localizer, game_title, published_hash_text, thread_link
from bot.words import repeats
from bot.words.i18n import Localizer, language_for_locale
from bot.words.style import Markup
from rules import fairness

PLACE_PROBLEMS: Final = {
    "filtered": "host.filtered",
    "locked": "host.locked",
    "no_chat": "host.no_chat",
    "threads": "host.threads",
    "uploads": "host.uploads",
    "quarantine": "host.quarantine",
}
"""What its host must know of a game's place besides permissions that are missing."""

DELETED_WHEN_OBSOLETE: Final = ("remind", "standing")
"""Kinds of messages that are deleted when of what they said nothing holds any more."""

LayoutFunction = Callable[[Any, OutboxMessage, Localizer], Awaitable[RenderedMessage | None]]
"""Lays out the facts of its kind, as `Reader.batch` gives them, in its reader's words."""


class Composer:
    """Makes messages: those of one game from what is read of it together, so that a retry shows the present."""

    def __init__(self, reader: Reader, now: Callable[[], int], overtaken: Callable[[OutboxMessage], bool]) -> None:
        """`overtaken` says whether a press shows something newer than a message as its row was read."""
        self._reader = reader
        self._now = now
        self._pictures = PictureCache(reader.is_overloaded, overtaken)
        self._makers: dict[str, LayoutFunction] = {
            "lobby": partial(lobby.lay_out_lobby, reader, self._pictures),
            "begin": _synchronous(_lay_out_start),
            "step": self._step,
            "seals": _synchronous(self._seals),
            "panel": partial(captain.lay_out_panel, reader, self._pictures),
            "draw": _synchronous(notices.lay_out_draw_offer),
            "invite": _synchronous(notices.lay_out_invitation),
            "dms": _synchronous(_lay_out_closed_dms),
            "lacking": _synchronous(_lay_out_missing_permission),
            "muted": _synchronous(_muted_notice),
            "homeless": _synchronous(_lay_out_deleted_channel),
            "exiled": _synchronous(_lay_out_removal),
            "deleted": _synchronous(_lay_out_deletion),
            "announcement": _synchronous(_lay_out_announcement),
            "act": partial(acts.lay_out_log_entry, reader, self._pictures),
            "counted": partial(captain.lay_out_counted_draft, reader),
            "void": _synchronous(captain.lay_out_void_answer),
            "proposal": _synchronous(notices.lay_out_time_request),
            "remind": partial(notices.lay_out_reminder, reader),
            "standing": partial(notices.lay_out_useless_standing_orders, reader),
        }
        """By kind."""

    async def load(self, messages: Sequence[OutboxMessage]) -> MessageBatch:
        """Read what messages of one game show, in one transaction."""
        return await self._reader.batch(messages)

    async def compose(
        self, message: OutboxMessage, batch: MessageBatch | None = None
    ) -> tuple[SeatedGame, RenderedMessage | None]:
        """Make a message of the outbox; None if there is nothing to show, not even where it was sent before.

        Without the `batch` that was read of it, it is read now.
        """
        batch = batch or await self.load([message])
        playing, fact = batch.playing, batch.facts[message.id]
        if fact.failed is not None:
            raise fact.failed
        reader = playing.players.get(message.user_id or 0)
        words = game_localizer(playing, language_for_locale(reader.language) if reader else None)
        if fact.facts is None:
            self._pictures.give_up(message)
        shown = None if fact.facts is None else await self._makers[message.kind](fact.facts, message, words)
        if shown is None and message.message_id is not None and message.kind not in DELETED_WHEN_OBSOLETE:
            # It was seen, and names somebody, perhaps; of what it said nothing holds any more.
            shown = lay_out_message([f"-# {words.say('thread.settled', number=playing.game.id)}"], mark=message.mark)
        return playing, shown

    async def _step(self, facts: StepFacts, message: OutboxMessage, words: Localizer) -> RenderedMessage:
        game, reader = facts.playing.game, self._reader
        title = [f"-# {words.say('round', round=facts.round)}"] if facts.round else []
        look = reader.look(words, facts.caption)
        draw = partial(reader.draw, game.system, facts.chapter.state, facts.chapter.events, look)
        picture = await self._pictures.of(message, (facts.chapter, look), draw)
        next_lines = story.awaited_lines(words, facts.playing, facts.awaited, self._now())
        after = [*story.missed_lines(words, facts), *next_lines]
        notes = ["\n".join(after)]
        hashes: tuple[ShownHash, ...] = ()
        won: list[Markup] = []
        if facts.end:
            hashes = (ShownHash(what="digest", hash=facts.end.digest),)
            turned = await reader.turned(facts.end)
            won = end.describe_result(words, facts.playing, turned)
            notes.append("\n".join(end.end_lines(words, facts.end, turned)))
        # What is published must have room, however much happened: the story takes what is left.
        known = await reader.known(facts)
        score = [words.text(known.score)] if known.score else []
        above = [*title, *won[1:], *score]
        room = MAX_TEXT_CHARS - len("\n".join([*above, "### ", *notes]))
        told = story.step_story(words, facts, room, known.ships, beside="\n".join(["", *above, *after]).count("\n"))
        headline = won[0] if won else told.headline
        blocks: list[LayoutBlock] = [
            "\n".join([*title, f"### {headline}", *won[1:], *score, *repeats.drop_repeated(told.lines, won[1:])]),
            picture_block(words, picture),
            *notes,
        ]
        my_orders = Button(label=words.say("button.my_orders"), ref=CustomId(verb="orders", game=game.id))
        blocks.append(
            [
                Button(label=words.say("button.log"), ref=CustomId(verb="log", game=game.id)),
                Button(label=words.say("button.film"), ref=CustomId(verb="film", game=game.id)),
                Button(label=words.say("button.my_view"), ref=CustomId(verb="view", game=game.id)),
                *([my_orders] if next_lines else []),
                *(ending.end_buttons(words, game) if hashes else []),
            ]
        )
        return with_pending_picture(structs.replace(lay_out_message(blocks, mark=message.mark), hashes=hashes), picture)

    def _seals(self, facts: SealFacts, message: OutboxMessage, words: Localizer) -> RenderedMessage | None:
        game, rows = facts.playing.game, facts.rows
        if not (told := story.seal_lines(words, facts, self._now())):
            return None  # it is over, and nobody has answered: the game has gone back to before it
        blocks: list[LayoutBlock] = ["\n".join(told)]
        if any(row.status != "closed" for row in rows):
            blocks.append([Button(label=words.say("button.my_orders"), ref=CustomId(verb="orders", game=game.id))])
        hashes = tuple(
            ShownHash(what="seal", hash=answer.commitment, request=answer.asked)
            for row in rows
            if (answer := facts.answers.get(row.id)) and story.shows_hash(row, answer)
        )
        return structs.replace(lay_out_message(blocks, mark=message.mark), hashes=hashes)


def _synchronous(maker: Callable[[Any, OutboxMessage, Localizer], RenderedMessage | None]) -> LayoutFunction:
    """A maker for which nothing must be worked out."""

    async def make(facts: object, message: OutboxMessage, words: Localizer) -> RenderedMessage | None:
        return maker(facts, message, words)

    return make


def _lay_out_start(facts: StartFacts, message: OutboxMessage, words: Localizer) -> RenderedMessage:
    playing, game = facts.playing, facts.playing.game
    users = tuple(seat.user_id for seat in playing.seats if seat.user_id)
    names = {seat.seat: words.said(words.style.text(words.names[seat.seat])) for seat in playing.seats}
    who = [words.person(seat.user_id) if seat.user_id else names[seat.seat] for seat in playing.seats]
    text = words.say("thread.begin", number=game.id, players=who, hash=published_hash_text(game.seed_hash))
    if said := dice_word_lines(words, playing):
        text = Markup(f"{text}\n{words.style.small(words.say('dice.words', words=said))}")
    if facts.above:
        above = {"game": game_title(words, facts.above), "thread": thread_link(words, facts.above.game)}
        text = Markup(f"{text}\n{words.say('thread.battle_of', **above)}")
    hashes = (
        ShownHash(what="seed", hash=game.seed_hash),
        ShownHash(what="words", hash=fairness.hash_words(playing.words)),
    )
    shown = lay_out_message([text], mark=message.mark, pings=users)
    return structs.replace(shown, hashes=hashes if said else hashes[:1])


def _lay_out_missing_permission(facts: MutedFacts, message: OutboxMessage, words: Localizer) -> RenderedMessage:
    playing = facts.playing
    place = Markup(f"<#{playing.game.thread_id or playing.game.channel_id}>")
    if trouble := PLACE_PROBLEMS.get(message.about(MissingPermissionSubject).permission):
        told = words.say(trouble, channel=place)
    else:
        told = words.say("host.lacking", channel=place, permission=message.about(MissingPermissionSubject).permission)
    if message.user_id is None and (host := playing.game.host_id):  # in the thread
        return lay_out_message([f"<@{host}> {told}"], mark=message.mark, pings=(host,))
    lines = [f"-# {panel_title(words, playing)}", told, *_stopped_clock_lines(facts, words)]
    return lay_out_message(["\n".join(lines)], mark=message.mark)


def _muted_notice(facts: MutedFacts, message: OutboxMessage, words: Localizer) -> RenderedMessage | None:
    if facts.act is None or facts.act.id != message.about(MutedSubject).act:
        return None
    told = words.say("channel.muted", thread=thread_link(words, facts.playing.game))
    lines = [f"-# {panel_title(words, facts.playing)}", told, *_stopped_clock_lines(facts, words)]
    return lay_out_message(["\n".join(lines)], mark=message.mark)


def _stopped_clock_lines(facts: MutedFacts, words: Localizer) -> list[Markup]:
    """That the clock stands still while the bot can't write, and who is to blame, if that is known."""
    if facts.act is None:
        return []
    blamed = [words.say("muted.by", who=words.person(facts.act.user_id))] if facts.act.user_id else []
    return [*blamed, words.say("muted.clock")]


def _lay_out_deleted_channel(playing: SeatedGame, message: OutboxMessage, words: Localizer) -> RenderedMessage:
    told = words.say("host.homeless", number=playing.game.id)
    return lay_out_message([f"-# {panel_title(words, playing)}\n{told}"], mark=message.mark)


def _lay_out_removal(playing: SeatedGame, message: OutboxMessage, words: Localizer) -> RenderedMessage | None:
    if playing.game.paused_at is None:
        return None  # it goes on again
    return lay_out_message([f"-# {panel_title(words, playing)}\n{words.say('captain.exiled')}"], mark=message.mark)


def _lay_out_deletion(playing: SeatedGame, message: OutboxMessage, words: Localizer) -> RenderedMessage:
    return lay_out_message([words.say("thread.deleted", number=playing.game.id)], mark=message.mark)


def _lay_out_announcement(_: SeatedGame, message: OutboxMessage, words: Localizer) -> RenderedMessage:
    return lay_out_message(
        [words.say("thread.announcement", text=Markup(message.about(AnnouncementSubject).text))], mark=message.mark
    )


def _lay_out_closed_dms(playing: SeatedGame, message: OutboxMessage, words: Localizer) -> RenderedMessage | None:
    user_id = message.about(ClosedDmsSubject).user
    seat = playing.seat_of(user_id)
    if seat is None:
        return None
    text = f"<@{user_id}> {words.say('thread.closed_dms', who=seat.seat)}"
    button = Button(label=words.say("button.my_orders"), ref=CustomId(verb="orders", game=playing.game.id))
    return lay_out_message([text, [button]], mark=message.mark, pings=(user_id,))
