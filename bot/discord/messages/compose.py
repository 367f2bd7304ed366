"""Rendering of each outbox message from the game's current state. No game is named here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_TEXT_CHARS
from bot.discord.messages import acts, captain, ending, lobby, notices
from bot.discord.messages.board import Button, LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.pictures import PictureCache, picture_block, with_pending_picture
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.undo import is_public_step
from bot.pages.folder import page_address
from bot.presenters import ending as end_presenter
from bot.presenters import story
from bot.presenters.acts import LogEntryFacts, MutedFacts, log_entry_text
from bot.presenters.lobby import abandoned_lines, dice_word_lines
from bot.presenters.panel import panel_title
from bot.presenters.reader import Reader
from bot.presenters.readers.messages import MessageBatch
from bot.presenters.story import SealFacts, StartFacts, StepFacts
from bot.presenters.wording import game_localizer, game_title, published_hash_text, thread_link
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import (
    AnnouncementSubject,
    ChainSubject,
    ClosedDmsSubject,
    MissingPermissionSubject,
    MutedSubject,
)
from bot.store.queries.publications import ShownHash
from bot.texts import repeats
from bot.texts.i18n import Localizer, language_for_locale
from bot.texts.style import Markup
from rules.chance import fairness

PLACE_PROBLEMS: Final = {
    "filtered": "host.filtered",
    "locked": "host.locked",
    "no_chat": "host.no_chat",
    "threads": "host.threads",
    "uploads": "host.uploads",
    "quarantine": "host.quarantine",
}
"""Maps problems other than missing permissions to the text for the host."""

DELETED_WHEN_OBSOLETE: Final = ("remind", "standing")
"""Kinds of messages that are deleted when their content is obsolete; other kinds keep a short note."""

LayoutFunction = Callable[[Any, OutboxMessage, Localizer], Awaitable[RenderedMessage | None]]
"""Renders the facts of one kind of message, as `Reader.read_batch` returns them."""


class Composer:
    """Renders messages from the store, so that a retry shows the current state."""

    def __init__(
        self,
        reader: Reader,
        now: Callable[[], int],
        is_overtaken: Callable[[OutboxMessage], bool],
        *,
        public_url: str = "",
    ) -> None:
        """`is_overtaken` returns whether a press has shown something newer than the message's row.

        `public_url` is the address at which pages of games can be read; empty: there are none.
        """
        self._reader = reader
        self._clock = now
        self._picture_cache = PictureCache(reader.pictures.is_overloaded, is_overtaken)
        self._layout_functions: dict[str, LayoutFunction] = {
            "lobby": partial(lobby.lay_out_lobby, reader, self._picture_cache),
            "begin": _synchronous(partial(_lay_out_start, public_url=public_url)),
            "step": self._lay_out_step,
            "seals": _synchronous(self._lay_out_seals),
            "chain": _synchronous(_lay_out_chain_line),
            "panel": partial(captain.lay_out_panel, reader, self._picture_cache),
            "draw": _synchronous(notices.lay_out_draw_offer),
            "invite": _synchronous(notices.lay_out_invitation),
            "dms": _synchronous(_lay_out_closed_dms),
            "lacking": _synchronous(_lay_out_missing_permission),
            "muted": _synchronous(_muted_notice),
            "homeless": _synchronous(_lay_out_deleted_channel),
            "exiled": _synchronous(_lay_out_removal),
            "deleted": _synchronous(_lay_out_deletion),
            "announcement": _synchronous(_lay_out_announcement),
            "act": partial(acts.lay_out_log_entry, reader, self._picture_cache),
            "note": _synchronous(_lay_out_host_note),
            "counted": partial(captain.lay_out_counted_draft, reader),
            "void": _synchronous(captain.lay_out_void_answer),
            "proposal": _synchronous(notices.lay_out_time_request),
            "remind": partial(notices.lay_out_reminder, reader),
            "standing": partial(notices.lay_out_useless_standing_orders, reader),
        }
        """Maps a kind of message to its layout."""

    async def read_batch(self, messages: Sequence[OutboxMessage]) -> MessageBatch:
        return await self._reader.messages.read_batch(messages)

    async def render_message(
        self, message: OutboxMessage, batch: MessageBatch | None = None
    ) -> tuple[SeatedGame, RenderedMessage | None]:
        """Return a message's game and its rendering. None: nothing to show, and a sent message can be deleted.

        `batch` holds the data that was read for it; without, it is read now.
        """
        batch = batch or await self.read_batch([message])
        seated_game, facts_or_error = batch.seated_game, batch.facts[message.id]
        if facts_or_error.error is not None:
            raise facts_or_error.error
        player = seated_game.players.get(message.user_id or 0)
        localizer = game_localizer(seated_game, language_for_locale(player.language) if player else None)
        if facts_or_error.facts is None:
            self._picture_cache.cancel_obsolete(message)
        rendered = (
            None
            if facts_or_error.facts is None
            else await self._layout_functions[message.kind](facts_or_error.facts, message, localizer)
        )
        if rendered is None and message.message_id is not None and message.kind not in DELETED_WHEN_OBSOLETE:
            # Players have seen it and it may name somebody, but its content is obsolete.
            rendered = lay_out_message(
                [f"-# {localizer.say('thread.settled', number=seated_game.game.id)}"], mark=message.mark
            )
        return seated_game, rendered

    async def _lay_out_step(self, facts: StepFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
        """Lay out a step: story above the picture; below it the awaited captains and, at the end, the figures."""
        game, reader = facts.seated_game.game, self._reader
        title = [f"-# {localizer.say('round', round=facts.round)}"] if facts.round else []
        style = reader.picture_style(localizer, facts.picture_caption)
        draw = partial(
            reader.pictures.draw_state, game.system, facts.round_content.state, facts.round_content.events, style
        )
        picture = await self._picture_cache.get_or_draw(message, (facts.round_content, style), draw)
        next_lines = story.awaited_lines(localizer, facts.seated_game, facts.awaited_requests, self._clock())
        lines_below_picture = [*story.missed_lines(localizer, facts), *next_lines]
        notes = ["\n".join(lines_below_picture)]
        hashes: tuple[ShownHash, ...] = ()
        result_lines: list[Markup] = []
        if facts.end:
            hashes = (ShownHash(what="digest", hash=facts.end.digest),)
            end_analysis = await reader.rounds.analyse_end(facts.end)
            result_lines = end_presenter.describe_result(localizer, facts.end, end_analysis)
            notes.append("\n".join(end_presenter.end_lines(localizer, facts.end, end_analysis)))
        # Hashes must always fit, so the story gets only the remaining room.
        status = await reader.rounds.public_status(facts)
        score = [localizer.say_text(status.score)] if status.score else []
        lines_above_story = [*title, *result_lines[1:], *score]
        room = MAX_TEXT_CHARS - len("\n".join([*lines_above_story, "### ", *notes]))
        other_line_count = "\n".join(["", *lines_above_story, *lines_below_picture]).count("\n")
        step_text = story.step_story(localizer, facts, room, status.ship_holders, other_line_count=other_line_count)
        headline = result_lines[0] if result_lines else step_text.headline
        story_lines = repeats.drop_repeated(step_text.lines, result_lines[1:])
        main_text = "\n".join([*title, f"### {headline}", *result_lines[1:], *score, *story_lines])
        blocks: list[LayoutBlock] = [main_text, picture_block(localizer, picture), *notes]
        label_keys = {"why": "button.why", "log": "button.log", "film": "button.film", "view": "button.my_view"}
        label_keys |= {"orders": "button.my_orders"} if next_lines else {}
        # After a restored backup, this number says whether the message reports more than the database knows.
        step_count = sum(is_public_step(step.cause) for step in facts.steps)
        versions = {"log": step_count, "why": facts.round}
        custom_ids = [CustomId(verb=verb, game=game.id, version=versions.get(verb, 0)) for verb in label_keys]
        buttons = [Button(label=localizer.say(label_keys[ref.verb]), custom_id=ref) for ref in custom_ids]
        blocks.append([*buttons, *(ending.end_buttons(localizer, game) if facts.end else [])])
        rendered = structs.replace(lay_out_message(blocks, mark=message.mark), published_hashes=hashes)
        return with_pending_picture(rendered, picture)

    def _lay_out_seals(self, facts: SealFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage | None:
        game, rows = facts.seated_game.game, facts.requests
        lines = story.seal_lines(localizer, facts, self._clock())
        if not lines:
            return None  # nobody answered: the game was taken back to before this request
        blocks: list[LayoutBlock] = ["\n".join(lines)]
        if any(row.status != "closed" for row in rows):
            blocks.append(
                [Button(label=localizer.say("button.my_orders"), custom_id=CustomId(verb="orders", game=game.id))]
            )
        hashes = tuple(
            ShownHash(what="seal", hash=answer.commitment, request=answer.original_request_id)
            for row in rows
            if (answer := facts.answers.get(row.id)) and story.shows_hash(row, answer)
        )
        return structs.replace(lay_out_message(blocks, mark=message.mark), published_hashes=hashes)


def _synchronous(lay_out: Callable[[Any, OutboxMessage, Localizer], RenderedMessage | None]) -> LayoutFunction:
    """Return a layout function that does not wait for anything as a coroutine function."""

    async def lay_out_async(facts: object, message: OutboxMessage, localizer: Localizer) -> RenderedMessage | None:
        return lay_out(facts, message, localizer)

    return lay_out_async


def _lay_out_start(
    facts: StartFacts, message: OutboxMessage, localizer: Localizer, *, public_url: str
) -> RenderedMessage:
    seated_game, game = facts.seated_game, facts.seated_game.game
    user_ids = tuple(seat.user_id for seat in seated_game.seats if seat.user_id)
    player_texts = [
        localizer.mention(seat.user_id)
        if seat.user_id
        else localizer.to_markup(localizer.style.escape_text(localizer.names[seat.seat]))
        for seat in seated_game.seats
    ]
    seed_hash = published_hash_text(game.seed_hash)
    text = localizer.say("thread.begin", number=game.id, players=player_texts, hash=seed_hash)
    dice_words = dice_word_lines(localizer, seated_game)
    if dice_words:
        text = Markup(f"{text}\n{localizer.style.small(localizer.say('dice.words', words=dice_words))}")
    text = Markup("\n".join([text, *map(localizer.style.small, abandoned_lines(localizer, seated_game))]))
    if facts.parent:  # the game that this battle decides a question of
        parent_title, parent_thread = game_title(localizer, facts.parent), thread_link(localizer, facts.parent.game)
        text = Markup(f"{text}\n{localizer.say('thread.battle_of', game=parent_title, thread=parent_thread)}")
        if facts.battle_note:
            parent_localizer = game_localizer(facts.parent, localizer.catalogue.language)
            text = Markup(f"{text}\n{parent_localizer.say_text(facts.battle_note)}")
    if game.is_match:
        text = Markup(f"{text}\n{localizer.say('thread.match_first')}")
    if public_url and game.shown_page_key is not None:
        address = page_address(public_url, game.shown_page_key)
        text = Markup(f"{text}\n{localizer.say('thread.page', address=Markup(address))}")
    if facts.first_game:
        first_thread = thread_link(localizer, facts.first_game.game)
        text = Markup(f"{text}\n{localizer.say('thread.match_second', thread=first_thread)}")
    hashes = [ShownHash(what="seed", hash=game.seed_hash)]
    if dice_words:
        hashes.append(ShownHash(what="words", hash=fairness.hash_words(seated_game.dice_words)))
    rendered = lay_out_message([text], mark=message.mark, pings=user_ids)
    return structs.replace(rendered, published_hashes=tuple(hashes))


def _lay_out_chain_line(_: SeatedGame, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    subject = message.subject_as(ChainSubject)
    hash_text = published_hash_text(subject.digest)
    if subject.line.round:
        text = localizer.say("thread.chain", when=localizer.say("round", round=subject.line.round), hash=hash_text)
    else:
        text = localizer.say("thread.chain_prepared", hash=hash_text)
    rendered = lay_out_message([localizer.style.small(text)], mark=message.mark)
    published = ShownHash(what="chain", hash=subject.digest, request=str(subject.line.round))
    return structs.replace(rendered, published_hashes=(published,))


def _lay_out_missing_permission(facts: MutedFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    seated_game = facts.seated_game
    place = Markup(f"<#{seated_game.game.thread_id or seated_game.game.channel_id}>")
    permission = message.subject_as(MissingPermissionSubject).permission
    problem_key = PLACE_PROBLEMS.get(permission)
    if problem_key:
        text = localizer.say(problem_key, channel=place)
    else:
        text = localizer.say("host.lacking", channel=place, permission=permission)
    host_id = seated_game.game.host_id
    if message.user_id is None and host_id:  # in the thread
        return lay_out_message([f"<@{host_id}> {text}"], mark=message.mark, pings=(host_id,))
    lines = [f"-# {panel_title(localizer, seated_game)}", text, *_stopped_clock_lines(facts, localizer)]
    return lay_out_message(["\n".join(lines)], mark=message.mark)


def _lay_out_host_note(facts: LogEntryFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    text = log_entry_text(localizer, facts.entry)
    return lay_out_message([f"-# {panel_title(localizer, facts.seated_game)}\n{text}"], mark=message.mark)


def _muted_notice(facts: MutedFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage | None:
    if facts.entry is None or facts.entry.id != message.subject_as(MutedSubject).act:
        return None
    text = localizer.say("channel.muted", thread=thread_link(localizer, facts.seated_game.game))
    lines = [f"-# {panel_title(localizer, facts.seated_game)}", text, *_stopped_clock_lines(facts, localizer)]
    return lay_out_message(["\n".join(lines)], mark=message.mark)


def _stopped_clock_lines(facts: MutedFacts, localizer: Localizer) -> list[Markup]:
    if facts.entry is None:
        return []
    stopped = localizer.say("muted.clock")
    if not facts.entry.user_id:  # nobody is known to have taken the bot's permission
        return [stopped]
    return [localizer.say("muted.by", who=localizer.mention(facts.entry.user_id)), stopped]


def _lay_out_deleted_channel(seated_game: SeatedGame, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    text = localizer.say("host.homeless", number=seated_game.game.id)
    return lay_out_message([f"-# {panel_title(localizer, seated_game)}\n{text}"], mark=message.mark)


def _lay_out_removal(seated_game: SeatedGame, message: OutboxMessage, localizer: Localizer) -> RenderedMessage | None:
    if seated_game.game.paused_at is None:
        return None  # the game was resumed
    return lay_out_message(
        [f"-# {panel_title(localizer, seated_game)}\n{localizer.say('captain.exiled')}"], mark=message.mark
    )


def _lay_out_deletion(seated_game: SeatedGame, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    return lay_out_message([localizer.say("thread.deleted", number=seated_game.game.id)], mark=message.mark)


def _lay_out_announcement(_: SeatedGame, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    return lay_out_message(
        [localizer.say("thread.announcement", text=Markup(message.subject_as(AnnouncementSubject).text))],
        mark=message.mark,
    )


def _lay_out_closed_dms(
    seated_game: SeatedGame, message: OutboxMessage, localizer: Localizer
) -> RenderedMessage | None:
    user_id = message.subject_as(ClosedDmsSubject).user
    seat = seated_game.seat_of(user_id)
    if seat is None:
        return None
    text = f"<@{user_id}> {localizer.say('thread.closed_dms', who=seat.seat)}"
    button = Button(
        label=localizer.say("button.my_orders"), custom_id=CustomId(verb="orders", game=seated_game.game.id)
    )
    return lay_out_message([text, [button]], mark=message.mark, pings=(user_id,))
