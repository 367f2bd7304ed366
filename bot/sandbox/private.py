"""Every use of what simcord does not promise to keep, in one place.

simcord is pinned; a test for each of these functions says at once when a new version has moved something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import simcord
from simcord import actors, interactions
from simcord.backend import Backend, serializers
from simcord.backend.access import channel_accessible
from simcord.backend.models import Channel, Guild, Message, User
from simcord.components import walk_components
from simcord.enums import ComponentType, InteractionType, OptionType

TYPED = 1
"""Discord's number for commands that are typed after `/`."""
SHORT_S = 1.0
"""Timers shorter than this many seconds run by themselves, as they do in a bot that merely waits for a moment."""

__all__ = ["Backend", "Channel", "Guild", "Message", "OptionType", "User"]


def settle_quickly() -> None:
    """Look every 10 ms, instead of every 50, whether the bot has come to rest.

    What it does is awaited in any case; looking more often takes a fifth of the processor from what is waited for.
    """
    defaults: dict[str, Any] = vars(simcord.Env)["_settle_internal"].__kwdefaults__  # simcord offers no setting
    defaults["idle"] = 0.01


class Env(simcord.Env):
    """A simcord in which time stands still until it is let pass.

    simcord itself fires a bot's timers also when that much real time has passed; and while a timer
    may yet fire in this way before `settle_timeout`, it waits for it after every act.
    """

    def _schedule_timer(self, record: Any, *rest: Any) -> None:  # noqa: ANN401 - simcord's own, and not named outside
        super()._schedule_timer(record, *rest)
        if record.real_handle is not None and record.when - self.backend.clock.elapsed >= SHORT_S:
            record.real_handle.cancel()


def listen(env: simcord.Env, changed: Callable[[], None]) -> None:
    """Call `changed` whenever something happens in this Discord that its gateway would tell."""

    def heard(_event: str, _payload: Mapping[str, Any]) -> None:
        changed()

    env.backend.subscribers.append(heard)


def name_bot(backend: Backend, name: str) -> None:
    """Give the bot's account a name."""
    backend.edit_bot_profile(name)


def channels(backend: Backend) -> list[Channel]:
    """All channels, threads and DMs, oldest first."""
    return sorted(backend.channels.values(), key=lambda channel: channel.id)


def accessible(backend: Backend, channel_id: int, user_id: int) -> bool:
    """Whether this user may read the channel."""
    return channel_accessible(backend, channel_id, user_id, history=True)


def messages(backend: Backend, channel_id: int, user_id: int) -> list[Message]:
    """What this user sees in a channel, oldest first."""
    stored = backend.messages.get(channel_id, {})
    return [stored[key] for key in sorted(stored) if stored[key].visible_to(user_id)]


def payload(backend: Backend, message: Message) -> dict[str, Any]:
    """A message as Discord's API writes it."""
    return dict(serializers.message_payload(backend, message))


def encode(value: object) -> bytes:
    """Write as JSON what simcord keeps; a bot's texts are kept as they came, of whatever subclass of str."""
    return msgspec.json.encode(value, enc_hook=_plain)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    raise NotImplementedError(type(value))


def forget_calls(backend: Backend) -> None:
    """Drop the record of all that went over the wire; a sandbox may run for days."""
    backend.http_requests.clear()
    backend.transcript.clear()


def message_handle(env: simcord.Env, channel_id: int, message_id: int) -> simcord.ResponseMessage:
    """A message that an actor can click on."""
    return simcord.ResponseMessage(env, env.backend.get_message(channel_id, message_id))


def member_handle(env: simcord.Env, guild: simcord.GuildHandle, user_id: int) -> simcord.MemberActor:
    """An actor for a user who is a member already."""
    return simcord.MemberActor(env, guild, user_handle(env, user_id))


def user_handle(env: simcord.Env, user_id: int) -> simcord.UserHandle:
    """A handle of a user who exists already."""
    return simcord.UserHandle(env, env.backend.get_user(user_id))


def guild_handle(env: simcord.Env, guild_id: int) -> simcord.GuildHandle:
    """A handle of a guild that exists already."""
    return simcord.GuildHandle(env, env.backend.get_guild(guild_id))


def channel_handle(env: simcord.Env, guild: simcord.GuildHandle, channel_id: int) -> simcord.ChannelHandle:
    """A handle of a channel or thread that exists already."""
    return simcord.ChannelHandle(env, guild, env.backend.get_channel(channel_id))


def is_dm(backend: Backend, channel_id: int) -> bool:
    """Whether a channel belongs to no guild."""
    return backend.get_channel(channel_id).guild_id is None


def commands(backend: Backend, channel_id: int, user_id: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """What this user may type after `/` here: the whole name of each command; and the groups it is in, and itself."""
    found = []
    for root in backend.visible_commands(user_id=user_id, channel_id=channel_id):
        if root.get("type", TYPED) != TYPED:
            continue  # it stands in the menu of a person or of a message
        for path, _leaf in interactions.command_leaves(root):
            chain = [root]
            for name in path[1:]:
                chain.append(next(part for part in chain[-1]["options"] if part["name"] == name))
            found.append((" ".join(path), chain))
    return found


def interaction_id(result: simcord.InteractionResult) -> str:
    """The id of the interaction that had this result."""
    return str(result._interaction.id)  # noqa: SLF001  # a result tells its interaction to nobody


def blobs(backend: Backend) -> dict[str, bytes]:
    """Every file that was ever uploaded, by its address; the very mapping, to be filled and pruned."""
    return backend.cdn._blobs  # noqa: SLF001  # the store has no way to list or to forget


def set_clock(backend: Backend, elapsed: float) -> None:
    """Put the virtual clock so many seconds after simcord's epoch."""
    backend.clock.elapsed = elapsed


def sequences(backend: Backend) -> dict[int, int]:
    """How many snowflakes were given in which millisecond; the very mapping, so that none is given twice."""
    return backend._sequences  # noqa: SLF001  # ids must not come again after a restore


def speak_on_server(backend: Backend, guild_id: int, locale: str) -> None:
    """Let a server speak a language, such as `hu`, and tell the bot."""
    if backend.get_guild(guild_id).preferred_locale != locale:
        backend.edit_guild(guild_id, {"preferred_locale": locale})


def may_be_pressed(message: simcord.ResponseMessage, control: str, values: Sequence[str] = ()) -> bool:
    """Whether a message has a component of this custom id that is enabled, and offers these values."""
    return any(
        part.get("custom_id") == control
        and not part.get("disabled")
        and {*values} <= {option["value"] for option in part.get("options") or ()}
        for part in walk_components(message.components)
    )


async def press_gone(
    actor: simcord.MemberActor | simcord.UserHandle,
    message: simcord.ResponseMessage,
    control: str,
    values: Sequence[str] = (),
) -> simcord.InteractionResult:
    """Press what a message has no more: who pressed saw it, on another device or before it was edited.

    The bot is sent the message with it, as Discord sends it as it was seen.
    """
    stored = actors._visible_message(actor, message)  # noqa: SLF001 - simcord's actors press only what is there
    kind = ComponentType.STRING_SELECT if values else ComponentType.BUTTON
    chosen = [{"label": value, "value": value} for value in values]
    shown = {"placeholder": "…", "options": chosen} if values else {"style": 2, "label": "…"}
    env = actor._env  # noqa: SLF001
    payload = dict(serializers.message_payload(env.backend, stored))
    row = {"type": ComponentType.ACTION_ROW, "components": [{"type": kind, "custom_id": control, **shown}]}
    payload["components"] = [*stored.components, row]
    data: dict[str, Any] = {"custom_id": control, "component_type": kind} | ({"values": [*values]} if values else {})
    return await actors._dispatch_actor_interaction(  # noqa: SLF001
        actor,
        InteractionType.MESSAGE_COMPONENT,
        simcord.ChannelHandle(env, getattr(actor, "guild", None), env.backend.get_channel(stored.channel_id)),
        data,
        extra={"message": payload},
        source_message_id=stored.id,
    )


@contextmanager
def speaking(locale: str) -> Iterator[None]:
    """Let users have this locale, such as `hu`, in what they do meanwhile; simcord knows only en-US.

    Replies then also tell the whole name of the command that they answer, as Discord's do, not its first word alone.
    """
    plain = interactions.base_payload

    def localized(backend: Backend, **given: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - passed on
        record, body = plain(backend, **given)
        body["locale"] = locale
        if "guild_id" in body:
            body["guild_locale"] = backend.get_guild(int(body["guild_id"])).preferred_locale
        if record.command_name:
            record.command_name = " ".join(_path(body["data"]))
        return record, body

    interactions.base_payload = localized
    try:
        yield
    finally:
        interactions.base_payload = plain


def _path(data: dict[str, Any]) -> list[str]:
    nested = [
        option
        for option in data.get("options", ())
        if option["type"] in (OptionType.SUBCOMMAND, OptionType.SUBCOMMAND_GROUP)
    ]
    return [data["name"], *(_path(nested[0]) if nested else ())]


def emoji_font() -> Path | None:
    """A font with emoji, which comes with simcord's preview; a desktop may have none."""
    fonts = Path(simcord.__file__).parent / "preview" / "static" / "fonts"
    return next(iter(sorted(fonts.glob("noto-color-emoji*.ttf"))), None)
