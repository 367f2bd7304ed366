"""What Discord refuses of messages, whatever is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from bot.sandbox.strict.rule import rule
from bot.sandbox.strict.state import State
from bot.sandbox.strict.values import V2, Answer, Call, Group, Refusal, invalid_form

NONCE_MOST: Final = 25
MAX_FILE: Final = 10 * 1024 * 1024
MAX_FILES: Final = 10
_UPDATE = 7
_DEFERRED_MESSAGE = 5
_EPHEMERAL = 1 << 6
_V2_ONLY = frozenset((9, 10, 11, 12, 13, 14, 17))
_LEGACY = ("content", "embeds", "sticker_ids", "poll")
_NOT_FOUND = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"


def _missing(name: str) -> Refusal:
    return invalid_form("components", _NOT_FOUND, f"The referenced attachment {name} was not found")


@rule(
    "kept attachment",
    Group.MESSAGES,
    "discord/discord-api-docs#7529, #7611; both id and filename: a bot's acceptance test against Discord, October 2026",
)
def kept_attachment(call: Call, state: State) -> Refusal | None:
    """An edit that refers to an attachment lists it: an upload by name, an older one by id and name."""
    if not call.is_edit or not call.references:
        return None
    listed = call.data.get("attachments")
    if listed is None:
        return _missing(min(call.references))
    edited = state.edited(call)
    held = edited.attachments if edited else {}
    named = {*call.files}
    named |= {entry["filename"] for entry in listed if held.get(str(entry.get("id"))) == entry.get("filename", "")}
    missing = call.references - named
    return _missing(min(missing)) if missing else None


@rule("new attachment", Group.MESSAGES, "docs: reference#uploading-files")
def new_attachment(call: Call, _: State) -> Refusal | None:
    """Refuse a new message that refers to a file not uploaded with it."""
    if call.is_edit or not call.is_message or (call.is_callback and call.body.get("type") == _UPDATE):
        return None
    missing = call.references - {*call.files}
    return _missing(min(missing)) if missing else None


@rule("size of a file", Group.MESSAGES, "docs: topics/opcodes-and-status-codes#json (40005); reference#uploading-files")
def file_size(call: Call, _: State) -> Refusal | None:
    """A file has at most 10 MiB, where nobody has paid for more."""
    if max(call.files.values(), default=0) <= MAX_FILE:
        return None
    return Refusal(status=413, code=40005, message="Request entity too large")


@rule("number of files", Group.MESSAGES, "docs: reference#uploading-files")
def file_count(call: Call, _: State) -> Refusal | None:
    """A message has at most 10 files."""
    if max(len(call.files), len(call.data.get("attachments") or ())) <= MAX_FILES:
        return None
    return invalid_form("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {MAX_FILES} or fewer in length.")


@rule(
    "upload in an update",
    Group.MESSAGES,
    "discord/discord-api-docs#4309, #3048 (attachments of this callback are not those of PATCH); seen by a public bot",
)
def update_with_upload(call: Call, _: State) -> Refusal | None:
    """Refuse an update callback whose components refer to its uploads: Discord drops them."""
    if not call.is_callback or call.body.get("type") != _UPDATE:
        return None
    missing = call.references & {*call.files}
    return _missing(min(missing)) if missing else None


@rule("dropped upload", Group.MESSAGES, "discord/discord-api-docs#4309, #3048; seen by a public bot")
def update_drops_upload(call: Call, _: State) -> Answer | None:
    """A callback that updates a message is accepted without its uploads if no component refers to them."""
    if call.is_callback and call.body.get("type") == _UPDATE and call.files:
        return Answer(drops_uploads=True)
    return None


@rule(
    "components flag removed",
    Group.MESSAGES,
    "docs: components/using-message-components; resources/message#edit-message",
)
def flag_removed(call: Call, state: State) -> Refusal | None:
    """An edit cannot take IS_COMPONENTS_V2 from a message."""
    edited = state.edited(call)
    flags = call.data.get("flags")
    if edited is None or flags is None or not edited.flags & V2 or int(flags) & V2:
        return None
    return invalid_form("flags", "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", "The flag cannot be removed")


@rule("components flag missing", Group.MESSAGES, "docs: components/reference#legacy-message-component-behavior")
def flag_missing(call: Call, state: State) -> Refusal | None:
    """Components of the second version need the flag, in the body or on the edited message."""
    if not call.is_message or not any(part.get("type") in _V2_ONLY for part in call.components):
        return None
    if call.is_callback and call.body.get("type") not in {4, _UPDATE}:
        return None  # a form's components need none
    edited = state.edited(call)
    if edited is None and (call.is_edit or (call.is_callback and call.body.get("type") == _UPDATE)):
        return None  # the server knows nothing of the message and refuses by itself
    flags = int(call.data.get("flags") or 0) | (edited.flags if edited else 0)
    if flags & V2:
        return None
    return invalid_form("components", "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,)')


@rule("legacy fields", Group.MESSAGES, "docs: resources/message#edit-message, #create-message")
def legacy_fields(call: Call, state: State) -> Refusal | None:
    """A message with IS_COMPONENTS_V2 has components alone."""
    if not call.is_message:
        return None
    edited = state.edited(call)
    flags = int(call.data.get("flags") or 0) | (edited.flags if edited else 0)
    used = next((name for name in _LEGACY if call.data.get(name)), None)
    if not flags & V2 or used is None:
        return None
    return invalid_form(
        used, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "Not allowed with IS_COMPONENTS_V2"
    )


@rule("flag of a deferral", Group.MESSAGES, "docs: interactions/receiving-and-responding#messages (footnote of flags)")
def deferred_flags(call: Call, _: State) -> Refusal | None:
    """The callback that only announces a message takes no flag but EPHEMERAL."""
    if not call.is_callback or call.body.get("type") != _DEFERRED_MESSAGE:
        return None
    if int(call.data.get("flags") or 0) & ~_EPHEMERAL:
        return invalid_form("data.flags", "INVALID_MESSAGE_FLAGS", "Only EPHEMERAL is valid")
    return None


@rule("component ids", Group.MESSAGES, "docs: components/reference#anatomy-of-a-component")
def component_ids(call: Call, _: State) -> Refusal | None:
    """Custom ids and numbers of components are unique in a message or form."""
    if not call.is_message:
        return None
    for key, code in (("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"), ("id", "COMPONENT_ID_DUPLICATED")):
        if repeated := _repeated(part.get(key) for part in call.components):
            return invalid_form("components", code, f"{key} {repeated} is used twice")
    return None


@rule("select values", Group.MESSAGES, "docs: components/reference#string-select")
def select_values(call: Call, _: State) -> Refusal | None:
    """The options of a select have values of their own, and no more defaults than may be chosen."""
    if not call.is_message:
        return None
    for part in call.components:
        options = part.get("options") or ()
        if repeated := _repeated(option.get("value") for option in options):
            return invalid_form("components", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", f"{repeated} is used twice")
        chosen = sum(bool(option.get("default")) for option in options)
        if options and chosen > (part.get("max_values") or 1) and part.get("type") == 3:
            return invalid_form("components", "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", f"{chosen} are chosen")
    return None


@rule("reply to a deleted message", Group.MESSAGES, "docs: resources/message#message-reference-structure")
def reply_to_deleted(call: Call, state: State) -> Refusal | None:
    """A reply to a message that is no more fails unless `fail_if_not_exists` is false."""
    place, reference = call.place_of_new, call.data.get("message_reference")
    if place is None or not isinstance(reference, Mapping) or reference.get("fail_if_not_exists") is False:
        return None
    if state.message(int(reference.get("channel_id") or place), int(reference["message_id"])):
        return None
    return invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")


@rule("long nonce", Group.MESSAGES, "docs: resources/message#create-message (nonce)")
def long_nonce(call: Call, _: State) -> Refusal | None:
    """A nonce has at most 25 characters."""
    if len(str(call.data.get("nonce") or "")) <= NONCE_MOST:
        return None
    return invalid_form("nonce", "BASE_TYPE_BAD_LENGTH", f"Must be {NONCE_MOST} or fewer in length.")


@rule("repeated nonce", Group.MESSAGES, "docs: resources/message#create-message (enforce_nonce)")
def repeated_nonce(call: Call, state: State) -> Answer | None:
    """With `enforce_nonce`, a nonce of the past few minutes returns the message that it created."""
    place, nonce = call.place_of_new, call.data.get("nonce")
    if place is None or nonce is None or not call.data.get("enforce_nonce"):
        return None
    first = state.of_nonce(place, str(nonce))
    return Answer(message=first) if first else None


def _repeated(values: Any) -> Any:  # noqa: ANN401 - ids are numbers or texts
    counts = Counter(value for value in values if value)
    return next((value for value, count in counts.items() if count > 1), None)


RULES = (
    kept_attachment,
    new_attachment,
    file_size,
    file_count,
    update_with_upload,
    update_drops_upload,
    flag_removed,
    flag_missing,
    legacy_fields,
    deferred_flags,
    component_ids,
    select_values,
    reply_to_deleted,
    long_nonce,
    repeated_nonce,
)
