"""What is done and proposed beside the rules, as the thread is told of it."""

from __future__ import annotations

from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.doors.table import Table
from bot.doors.timekeeping import ASKED
from bot.errors import Refusal
from bot.life import agreement
from bot.life.enqueue import OFFERS, PROPOSALS
from bot.life.playing import Playing
from bot.store.records import ActRow, Message
from bot.words.i18n import Words
from bot.words.style import Said
from bot.work import showing


async def act(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """What was done or proposed; with a button where a seat is still offered, or captains must still agree."""
    async with table.store.read() as tx:
        act = await tx.acts.find(int(message.ref))
        if act is None:
            return None
        proposed = act.kind in PROPOSALS and act in await agreement.standing(tx, playing.game)
        voices = await agreement.voices(tx, playing, act.kind) if proposed else []
    blocks: list[Block] = [act_text(words, act)]
    pings: tuple[int, ...] = ()
    if act.kind == "undone":
        blocks.append(await _table_after(table, playing, int(act.params["step"]), words))
    elif proposed or _offers(act, playing):
        # Whoever is concerned is notified: the captain who is absent, or those who must agree.
        concerned = voices if proposed else [seat for seat in playing.seats if seat.seat == act.seat]
        pings = tuple(seat.user_id for seat in concerned if seat.user_id and seat.user_id != act.user_id)
        mentions = " ".join(f"<@{user_id}>" for user_id in pings)
        hint = words.say(f"offer.{act.kind}") if proposed else _offer_hint(words, act, playing)
        if act.kind == "left":
            pings = ()  # a mention of somebody who is not there cannot be read
            blocks = [f"{blocks[0]} {hint}", _buttons(words, act, playing)]
        elif pings and not proposed:  # he is named by his mention, and not once more
            named = structs.replace(act, params={**act.params, "captain": Said(mentions)})
            blocks = [f"{act_text(words, named)} {hint}", _buttons(words, act, playing)]
        else:
            blocks = [f"{mentions} {blocks[0]} {hint}".strip(), _buttons(words, act, playing)]
    return lay_out(blocks, mark=message.id, pings=pings)


def act_text(words: Words, act: ActRow) -> Said:
    """What was done beside the rules, in a sentence."""
    # A seat is named only where it is concerned; sentences that do not name it are told without.
    seat = {"seat": act.seat} if act.seat is not None else {}
    named = {"who": doer(words, act), **seat, **act.params}
    if act.kind == "substituted" and not act.params["captain"]:
        return words.say("thread.took_free_seat", **named)
    return words.say(f"proposal.{act.kind}", **named) if act.kind in ASKED else words.say(f"act.{act.kind}", **named)


async def _table_after(table: Table, playing: Playing, step_no: int, words: Words) -> Block:
    """The table as everybody sees it after a step."""
    async with table.store.read() as tx:
        step = await tx.steps.find(playing.game.id, step_no)
    if step is None:
        raise Refusal("not_started")
    look = table.look(words)
    return await table.workers.draw(showing.draw, playing.game.system, step.state, (), look)


def doer(words: Words, act: ActRow) -> Said:
    """Who did it: in a game that was brought in from a file, one knows no more than his seat."""
    if act.user_id and act.user_id > 0:
        return Said(f"<@{act.user_id}>")
    if act.by_seat is not None:
        return words.say("admin.seat", number=act.by_seat + 1, seat=act.by_seat)
    return words.say("admin.manager")


def _offers(act: ActRow, playing: Playing) -> bool:
    """Whether an act offers a seat that is still to be had."""
    running = playing.game.phase in ("running", "resolving") and act.kind in OFFERS
    return running and any(s.seat == act.seat and s.offered and s.offered_at == act.at for s in playing.seats)


def _offer_hint(words: Words, act: ActRow, playing: Playing) -> Said:
    """Who may take a seat that is offered, and whether its captain may come back."""
    hint = words.say("offer.private" if playing.game.private else "offer.open")
    return Said(f"{hint} {words.say('offer.return')}") if act.kind == "offered" else hint


def _buttons(words: Words, act: ActRow, playing: Playing) -> list[Button]:
    game = playing.game
    if act.kind in PROPOSALS:
        return [
            Button(label=words.say("button.agree"), ref=Ref(verb="agree_act", game=game.id, token=str(act.id))),
            Button(label=words.say("button.decline"), ref=Ref(verb="decline_act", game=game.id, token=str(act.id))),
        ]
    take_over = Ref(verb="take_over", game=game.id, token=str(act.seat))
    return [] if game.private else [Button(label=words.say("button.take_over"), ref=take_over)]
