"""Rules for the content of messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.values import V2_FLAG, AlteredAnswer, ApiCall, DiscordError, RuleGroup, invalid_form_body

MAX_NONCE_CHARS: Final = 25
MAX_FILE_BYTES: Final = 10 * 1024 * 1024
MAX_FILES: Final = 10
# Types of responses to an interaction.
_NEW_MESSAGE, _DEFERRED_MESSAGE, _UPDATE_MESSAGE = 4, 5, 7
_STRING_SELECT = 3  # type of component
_EPHEMERAL_FLAG = 1 << 6
_V2_COMPONENT_TYPES = frozenset((9, 10, 11, 12, 13, 14, 17))
_LEGACY_FIELDS = ("content", "embeds", "sticker_ids", "poll")
_NOT_FOUND = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"


def _missing_attachment(name: str) -> DiscordError:
    return invalid_form_body("components", _NOT_FOUND, f"The referenced attachment {name} was not found")


@make_rule(
    "kept attachment",
    RuleGroup.MESSAGES,
    "discord/discord-api-docs#7529, #7611; both id and filename: a bot's acceptance test against Discord, October 2026",
)
def unlisted_attachment(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse an edit that refers to unlisted attachments. Uploads are listed by name, older files by id and name."""
    if not call.is_edit or not call.references:
        return None
    listed = call.data.get("attachments")
    if listed is None:
        return _missing_attachment(min(call.references))
    edited = state.edited_message(call)
    old_attachments = edited.attachments if edited else {}
    available = {*call.files}
    available |= {
        entry["filename"] for entry in listed if old_attachments.get(str(entry.get("id"))) == entry.get("filename", "")
    }
    missing = call.references - available
    return _missing_attachment(min(missing)) if missing else None


@make_rule("new attachment", RuleGroup.MESSAGES, "docs: reference#uploading-files")
def unknown_attachment(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse a new message that refers to a file not uploaded with it."""
    if call.is_edit or not call.is_message or (call.is_callback and call.body.get("type") == _UPDATE_MESSAGE):
        return None
    missing = call.references - {*call.files}
    return _missing_attachment(min(missing)) if missing else None


@make_rule(
    "size of a file",
    RuleGroup.MESSAGES,
    "docs: topics/opcodes-and-status-codes#json (40005); reference#uploading-files",
)
def file_too_large(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse a file above 10 MiB, the limit of servers without boosts."""
    if max(call.files.values(), default=0) <= MAX_FILE_BYTES:
        return None
    return DiscordError(status=413, code=40005, message="Request entity too large")


@make_rule("number of files", RuleGroup.MESSAGES, "docs: reference#uploading-files")
def too_many_files(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse a message with more than 10 files."""
    if max(len(call.files), len(call.data.get("attachments") or ())) <= MAX_FILES:
        return None
    return invalid_form_body("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {MAX_FILES} or fewer in length.")


@make_rule(
    "upload in an update",
    RuleGroup.MESSAGES,
    "discord/discord-api-docs#4309, #3048 (attachments of this callback are not those of PATCH); seen by a public bot",
)
def update_with_upload(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse an update callback whose components refer to its uploads, because Discord drops these."""
    if not call.is_callback or call.body.get("type") != _UPDATE_MESSAGE:
        return None
    missing = call.references & {*call.files}
    return _missing_attachment(min(missing)) if missing else None


@make_rule("dropped upload", RuleGroup.MESSAGES, "discord/discord-api-docs#4309, #3048; seen by a public bot")
def update_drops_upload(call: ApiCall, _: ServerState) -> AlteredAnswer | None:
    """Accept an update callback without its uploads if no component refers to them."""
    if call.is_callback and call.body.get("type") == _UPDATE_MESSAGE and call.files:
        return AlteredAnswer(drops_uploads=True)
    return None


@make_rule(
    "components flag removed",
    RuleGroup.MESSAGES,
    "docs: components/using-message-components; resources/message#edit-message",
)
def flag_removed(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse an edit that removes IS_COMPONENTS_V2 from a message."""
    edited = state.edited_message(call)
    flags = call.data.get("flags")
    if edited is None or flags is None or not edited.flags & V2_FLAG or int(flags) & V2_FLAG:
        return None
    return invalid_form_body("flags", "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", "The flag cannot be removed")


@make_rule(
    "components flag missing", RuleGroup.MESSAGES, "docs: components/reference#legacy-message-component-behavior"
)
def flag_missing(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse V2 components without the flag IS_COMPONENTS_V2 in the body or on the edited message."""
    if not call.is_message or not any(part.get("type") in _V2_COMPONENT_TYPES for part in call.components):
        return None
    if call.is_callback and call.body.get("type") not in {_NEW_MESSAGE, _UPDATE_MESSAGE}:
        return None  # a form's components need no flag
    edited = state.edited_message(call)
    if edited is None and (call.is_edit or (call.is_callback and call.body.get("type") == _UPDATE_MESSAGE)):
        return None  # the simulated server refuses edits of unknown messages itself
    flags = int(call.data.get("flags") or 0) | (edited.flags if edited else 0)
    if flags & V2_FLAG:
        return None
    return invalid_form_body("components", "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,)')


@make_rule("legacy fields", RuleGroup.MESSAGES, "docs: resources/message#edit-message, #create-message")
def legacy_fields(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse fields other than components in a message with IS_COMPONENTS_V2."""
    if not call.is_message:
        return None
    edited = state.edited_message(call)
    flags = int(call.data.get("flags") or 0) | (edited.flags if edited else 0)
    used = next((name for name in _LEGACY_FIELDS if call.data.get(name)), None)
    if not flags & V2_FLAG or used is None:
        return None
    return invalid_form_body(
        used, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "Not allowed with IS_COMPONENTS_V2"
    )


@make_rule(
    "flag of a deferral", RuleGroup.MESSAGES, "docs: interactions/receiving-and-responding#messages (footnote of flags)"
)
def deferred_flags(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse flags other than EPHEMERAL in a callback that only announces a message."""
    if not call.is_callback or call.body.get("type") != _DEFERRED_MESSAGE:
        return None
    if int(call.data.get("flags") or 0) & ~_EPHEMERAL_FLAG:
        return invalid_form_body("data.flags", "INVALID_MESSAGE_FLAGS", "Only EPHEMERAL is valid")
    return None


@make_rule("component ids", RuleGroup.MESSAGES, "docs: components/reference#anatomy-of-a-component")
def component_ids(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse duplicate custom ids or numbers of components in a message or form."""
    if not call.is_message:
        return None
    for key, code in (("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"), ("id", "COMPONENT_ID_DUPLICATED")):
        repeated = _first_duplicate(component.get(key) for component in call.components)
        if repeated:
            return invalid_form_body("components", code, f"{key} {repeated} is used twice")
    return None


@make_rule("select values", RuleGroup.MESSAGES, "docs: components/reference#string-select")
def select_values(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse duplicate values in a select, or more defaults than values that may be selected."""
    if not call.is_message:
        return None
    for component in call.components:
        options = component.get("options") or ()
        repeated = _first_duplicate(option.get("value") for option in options)
        if repeated:
            return invalid_form_body(
                "components", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", f"{repeated} is used twice"
            )
        default_count = sum(bool(option.get("default")) for option in options)
        max_values = component.get("max_values") or 1
        if options and default_count > max_values and component.get("type") == _STRING_SELECT:
            return invalid_form_body(
                "components", "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", f"{default_count} are chosen"
            )
    return None


@make_rule("reply to a deleted message", RuleGroup.MESSAGES, "docs: resources/message#message-reference-structure")
def reply_to_deleted(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a reply to a deleted message unless `fail_if_not_exists` is false."""
    place, reference = call.channel_of_new_message, call.data.get("message_reference")
    if place is None or not isinstance(reference, Mapping) or reference.get("fail_if_not_exists") is False:
        return None
    if state.message(int(reference.get("channel_id") or place), int(reference["message_id"])):
        return None
    return invalid_form_body("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")


@make_rule("long nonce", RuleGroup.MESSAGES, "docs: resources/message#create-message (nonce)")
def long_nonce(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse a nonce of more than 25 characters."""
    if len(str(call.data.get("nonce") or "")) <= MAX_NONCE_CHARS:
        return None
    return invalid_form_body("nonce", "BASE_TYPE_BAD_LENGTH", f"Must be {MAX_NONCE_CHARS} or fewer in length.")


@make_rule("repeated nonce", RuleGroup.MESSAGES, "docs: resources/message#create-message (enforce_nonce)")
def repeated_nonce(call: ApiCall, state: ServerState) -> AlteredAnswer | None:
    """With `enforce_nonce`, return the message that was created with the nonce in the past few minutes."""
    place, nonce = call.channel_of_new_message, call.data.get("nonce")
    if place is None or nonce is None or not call.data.get("enforce_nonce"):
        return None
    earlier_id = state.message_of_nonce(place, str(nonce))
    return AlteredAnswer(message=earlier_id) if earlier_id else None


def _first_duplicate(values: Any) -> Any:  # noqa: ANN401 - ids are numbers or texts
    counts = Counter(value for value in values if value)
    return next((value for value, count in counts.items() if count > 1), None)


RULES = (
    unlisted_attachment,
    unknown_attachment,
    file_too_large,
    too_many_files,
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
