"""What is done and proposed beside the rules, as the thread shows it."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.discord.messages.pictures import Pictures, block, lacking
from bot.life.enqueue import PROPOSALS
from bot.store.records import Message
from bot.telling.acts import ActTold, act_text, offer_hint, told
from bot.telling.reader import Reader
from bot.words.i18n import Words
from bot.words.style import Said


async def act(reader: Reader, pictures: Pictures, facts: ActTold, message: Message, words: Words) -> Shown:
    """What was done or proposed; with a button where a seat is still offered, or captains must still agree."""
    act, playing = facts.act, facts.playing
    blocks: list[Block] = [told(words, facts)]
    pings: tuple[int, ...] = ()
    if facts.state is not None:
        look = reader.look(words)
        draw = partial(reader.draw, playing.game.system, facts.state, (), look)
        picture = await pictures.of(message, (facts.state, look), draw)
        return lacking(lay_out([*blocks, block(words, picture)], mark=message.mark), picture)
    if facts.proposed or facts.offers:
        # Those concerned are notified: the absent captain, or those who must agree.
        concerned = facts.voices if facts.proposed else [seat for seat in playing.seats if seat.seat == act.seat]
        pings = tuple(seat.user_id for seat in concerned if seat.user_id and seat.user_id != act.user_id)
        mentions = " ".join(f"<@{user_id}>" for user_id in pings)
        hint = words.say(f"offer.{act.kind}") if facts.proposed else offer_hint(words, facts)
        if act.kind in ("left", "barred"):
            pings = ()  # a mention of somebody who is not there cannot be read
            blocks = [f"{blocks[0]} {hint}", _buttons(words, facts)]
        elif pings and not facts.proposed:  # the mention names them; not once more
            named = structs.replace(act, params={**act.params, "captain": Said(mentions)})
            blocks = [f"{act_text(words, named)} {hint}", _buttons(words, facts)]
        else:
            # Below: beside the captain who proposes it they would seem to propose it, too.
            blocks = [f"{blocks[0]} {hint}\n{mentions}".strip(), _buttons(words, facts)]
    return lay_out(blocks, mark=message.mark, pings=pings)


def _buttons(words: Words, facts: ActTold) -> list[Button]:
    game, act = facts.playing.game, facts.act
    if act.kind in PROPOSALS:
        return [
            Button(label=words.say("button.agree"), ref=Ref(verb="agree_act", game=game.id, token=str(act.id))),
            Button(label=words.say("button.decline"), ref=Ref(verb="decline_act", game=game.id, token=str(act.id))),
        ]
    take_over = Ref(verb="take_over", game=game.id, token=str(act.seat))
    return [] if facts.to != "open" else [Button(label=words.say("button.take_over"), ref=take_over)]
