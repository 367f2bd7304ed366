"""A captain's panel as Discord shows it, what is left of it, and what else only its captain sees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages import choosing, ending, paging
from bot.discord.messages.board import Block, Button, Picture, Shown, lay_out
from bot.discord.messages.choosing import Meaning, labels
from bot.discord.messages.pictures import Pictures, block, lacking
from bot.life.playing import Playing
from bot.store.records import Message, RequestRow
from bot.telling import panel as telling
from bot.telling.asked import Asked
from bot.telling.glance import Glance, glance, is_same
from bot.telling.panel import Advice, Closed, Counted, Left, Panel
from bot.telling.reader import Reader
from bot.telling.values import HintRef, Offer, mark_of
from bot.words.i18n import Words
from bot.words.style import Said

LAST_LINES: Final = 5
"""Lines of what happened last below the buttons of a game that is over; the thread has all."""
_NOTHING: Final = Closed()


async def panel(reader: Reader, pictures: Pictures, facts: Panel | Left, message: Message, words: Words) -> Shown:
    """A captain's panel as the outbox sends it, or what is left of it."""
    if isinstance(facts, Left):
        told = telling.closed(words, facts, await reader.closing(facts))
        if facts.end is None:
            pictures.give_up(message)
            return left(facts, words, told, mark=message.mark)
        seat = facts.seat.seat if facts.seat else None
        draw = partial(reader.end, facts.end, words, seat)
        end = await pictures.of(message, (facts.end, seat, reader.look(words)), draw)
        return lacking(left(facts, words, told, block(words, end), mark=message.mark), end)
    asked = facts.asked
    note = words.say("panel.unsealed") if facts.broken else ""
    offer = await reader.offer(asked)
    subject = (asked.state, asked.row.body, asked.row.drafted, reader.look(words))
    picture = await pictures.of(message, subject, partial(reader.plan, asked, words))
    shown = contents(words, asked, offer, note=note).laid_out(block(words, picture), mark=message.mark)
    return lacking(shown, picture)


def left(facts: Left, words: Words, told: Closed, picture: Picture | str = None, *, mark: int | None = None) -> Shown:
    """What a panel says that was closed, until something else is asked; at a game's end with its last picture."""
    return closed_panel(facts.playing, words, picture, lost=facts.seat is None, told=told, mark=mark)


def closed_panel(
    playing: Playing,
    words: Words,
    picture: Picture | str = None,
    *,
    lost: bool = False,
    told: Closed = _NOTHING,
    link: str = "",
    mark: int | None = None,
) -> Shown:
    """Return what is left of a panel once its question was answered or its seat lost: `told`.

    `link` leads to the captain's next message; without it the thread has all. It has buttons only once the game is
    over, for its captain: the whole film, and another game. Below them stands the beginning of what happened last.
    """
    place = link or (f"<#{playing.game.thread_id}>" if playing.game.thread_id else "")
    over = playing.game.phase == "over"
    closed = words.say("panel.lost" if lost else "panel.over" if over else "panel.closed")
    title, leads = f"-# {telling.title(words, playing)}", f"{closed} {place}".rstrip()
    offered = ending.buttons(words, playing.game) if over and not lost and not link else []
    if not told.story:
        text = "\n".join([title, *told.said, leads])
        return lay_out([text, *([picture] if picture else []), offered], mark=mark)
    above, below = "\n".join([title, *told.said]), "\n".join([*told.story[:LAST_LINES], leads])
    return lay_out([above, *([picture] if picture else []), offered, below], mark=mark)


class Contents(NamedTuple):
    """All of a captain's panel but its picture, in words: as good for the panel over an old picture as with a new."""

    words: Words
    row: RequestRow
    texts: Glance
    groups: Sequence[Block]
    """What may be pressed or chosen next."""
    controls: Sequence[Button]
    """What stands on each page."""
    advice: Advice | None = None
    """Shown in place of the orders, on each page."""
    aside: Sequence[Block] = ()
    """What is seldom wanted, on another page than the first."""

    def laid_out(self, picture: Picture | str, *, mark: int | None = None, page: int = 0) -> Shown:
        """Return a page of the panel, from 0, with its present picture, words for it, or nothing."""
        found = self.pages(picture)
        return lay_out(found[min(page, len(found) - 1)], mark=mark)

    def pages(self, picture: Picture | str) -> list[list[Block]]:
        """Return all pages of the panel."""
        texts = self.texts
        return paging.pages(
            self.words,
            above=[texts.above, *([picture] if picture else []), texts.beside],
            offered=self.groups,
            controls=self.controls,
            below=texts.below,
            rest=texts.rest,
            aside=self.aside,
            pictured=bool(picture),  # nothing jumps when it comes
            turn=self._turn,
        )

    def _turn(self, page: int) -> Ref:
        """What a button means that leads to another page."""
        row, advice = self.row, self.advice
        verb, token = ("advised_page", f"{page}-{hint_of(advice).token}") if advice else ("page", str(page))
        return Ref(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)


def contents(
    words: Words, asked: Asked, offer: Offer, *, note: str = "", advice: Advice | None = None, still: bool = False
) -> Contents:
    """Return what a captain's panel says and offers. Advice that was asked for is shown in place of the orders.

    One that is `still` isn't shown again when others have sealed: then it says so, and a button looks.
    """
    choices = offer.choices
    game, row = asked.playing.game, asked.row
    texts = glance(words, asked, offer, advice, note)
    aside = _aside(words, asked)
    other = advice is not None and not is_same(advice, choices)
    taking = [take(words, row, advice)] if advice and other else []
    if asked.answer:
        # Immediate actions cannot be unsealed, except while the game is paused.
        waits = row.body.sealed or game.paused_at is not None
        controls = [control(words, row, "unseal")] if waits else []
        if still:
            look = Ref(verb="page", game=row.game_id, request=row.id, version=row.version)
            controls.append(Button(label=labels(words).say("button.look_again"), ref=look))
            below = "\n".join(filter(None, [words.style.small(words.say("panel.still")), texts.below]))
            texts = texts._replace(below=below)
        return Contents(words, row, texts, (), controls, aside=aside)
    forms = choosing.form_buttons(words, choices.forms, lambda token: _ref(row, "form", token))
    own = [group for group in choices.groups if not group.beside]
    groups = choosing.packed([*choosing.blocks(words, own, _meaning(row)), forms])
    beside = choosing.blocks(words, (group for group in choices.groups if group.beside), _meaning(row))
    finish = [button for block in beside if isinstance(block, list) for button in block]
    # Where a press answers at once, only what was typed waits for a seal.
    waiting = bool(row.draft) or not telling.seals_itself(choices)
    ready = not choices.missing
    # Beside a hint that isn't what is ordered it would seal what nobody sees.
    sealing = [seal(words, row, disabled=not ready)] if waiting and not other else []
    hint = [control(words, row, "hint")] if telling.is_advised(asked) else []
    typed = control(words, row, "type")
    if advice:  # its button is where afterwards none is that seals or ends: a second tap does no harm
        controls = [*sealing, typed, *taking, *hint] if row.body.sealed else [*taking, typed, *hint]
    else:
        controls = [*sealing, *finish, typed, *hint]
    return Contents(words, row, texts, groups, controls, advice, () if advice else aside)


async def counted(reader: Reader, facts: Counted, message: Message, words: Words) -> Shown:
    """Return a captain's plan that counted without a seal."""
    text = telling.overdue(words, facts, await reader.counted(facts))
    return lay_out([f"-# {telling.title(words, facts.playing)}\n{text}"], mark=message.mark)


def void(playing: Playing, message: Message, words: Words) -> Shown:
    """Return the note that an early answer is no longer legal, so that it is asked again."""
    return lay_out([f"-# {telling.title(words, playing)}\n{words.say('panel.void')}"], mark=message.mark)


def link_to(panel: Message) -> Said:
    """Return where somebody's panel is in their direct messages."""
    return Said(f"https://discord.com/channels/@me/{panel.channel_id}/{panel.message_id}")


def hint_of(advice: Advice) -> HintRef:
    """By which a button finds a hint again."""
    return HintRef(advice.hint_seed, advice.found.stopped)


def take(words: Words, row: RequestRow, advice: Advice) -> Button:
    """The button that orders what is advised or, where answers are no secret, carries it out."""
    shown = hint_of(advice)._replace(shown=mark_of(advice.found.answer))
    ref = Ref(verb="take", game=row.game_id, request=row.id, token=shown.token)
    key = "button.take" if row.body.sealed else "button.take_now"
    return Button(label=labels(words).say(key), ref=ref, style=ButtonStyle.primary)


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


def _aside(words: Words, asked: Asked) -> list[Block]:
    """What asks whether to go back, once there is a round to go back over, and what ends the game."""
    row = asked.row
    undo = Button(label=labels(words).say("button.undo"), ref=Ref(verb="ask_undo", game=row.game_id))
    ends = ending.before_its_time(words, asked.playing, asked.playing.seats[row.seat])
    return [[*([undo] if row.body.round > 1 else []), *ends]]


def _meaning(row: RequestRow) -> Meaning:
    """What is pressed in the panel of a request."""
    return Meaning(
        press=lambda option: _ref(row, "press", option.token),
        pick=lambda name: _ref(row, "pick", name),
    )


def _ref(row: RequestRow, verb: str, token: str) -> Ref:
    return Ref(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)
