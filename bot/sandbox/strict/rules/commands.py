"""Rules for the registration of commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.values import ApiCall, DiscordError, RuleGroup, invalid_form_body

MAX_OPTIONS: Final = 25
MAX_CHARACTERS: Final = 8_000
MAX_COMMANDS: Final = 100
_DOCS = "docs: interactions/application-commands"
_CODES = "docs: topics/opcodes-and-status-codes#json"
_TYPED = 1  # type of commands that are typed after `/`
_SUBCOMMANDS = frozenset((1, 2))  # types of options: subcommand, group
_CONTEXTS = frozenset((0, 1, 2))  # servers, direct messages with the bot, private channels
_PRIVATE_CHANNEL, _USER_INSTALL = 2, 1

Command = Mapping[str, Any]


def registered_commands(call: ApiCall) -> tuple[int | None, Sequence[Command]] | None:
    """Return the server (None: global) and the commands that a call registers; None if it registers none."""
    match call.method, call.parts:
        case "PUT", ["applications", _, "commands"]:
            return None, call.body or ()
        case "PUT", ["applications", _, "guilds", guild, "commands"]:
            return int(guild), call.body or ()
        case "POST" | "PATCH", ["applications", _, "commands", *_]:
            return None, [call.body]
        case "POST" | "PATCH", ["applications", _, "guilds", guild, "commands", *_]:
            return int(guild), [call.body]
    return None


def _all_commands(call: ApiCall) -> Sequence[Command]:
    registration = registered_commands(call)
    return registration[1] if registration else ()


def _walk(command: Command) -> Iterator[Command]:
    """Yield a command, then its options and subcommands at every depth."""
    yield command
    for option in command.get("options") or ():
        yield from _walk(option)


@make_rule("options of a command", RuleGroup.COMMANDS, f"{_DOCS}#application-command-object (max of 25)")
def too_many_options(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse more than 25 options of a command, group or subcommand, or choices of an option."""
    for command in _all_commands(call):
        for part in _walk(command):
            for key in ("options", "choices"):
                if len(part.get(key) or ()) > MAX_OPTIONS:
                    return invalid_form_body(key, "BASE_TYPE_MAX_LENGTH", f"Must be {MAX_OPTIONS} or fewer in length.")
    return None


@make_rule(
    "size of a command", RuleGroup.COMMANDS, f"{_DOCS}#slash-commands (8000 characters); docs: reference#error-messages"
)
def too_large(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse typed commands with more than 8,000 characters."""
    for command in _all_commands(call):
        if command.get("type", _TYPED) == _TYPED and count_characters(command) > MAX_CHARACTERS:
            text = f"Command exceeds maximum size ({MAX_CHARACTERS})"
            return invalid_form_body("0", "APPLICATION_COMMAND_TOO_LARGE", text)
    return None


def count_characters(command: Command) -> int:
    """Return the characters of all names, descriptions and values, each text in its longest language."""
    total = 0
    for part in _walk(command):
        for item in (part, *(part.get("choices") or ())):
            for key in ("name", "description"):
                texts = [item.get(key) or "", *(item.get(f"{key}_localizations") or {}).values()]
                total += max(map(len, texts))
            total += len(str(item.get("value") or ""))
    return total


@make_rule(
    "contexts of a command",
    RuleGroup.COMMANDS,
    f"{_DOCS}#contexts; docs: interactions/receiving-and-responding#interaction-context-types",
)
def invalid_contexts(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse contexts of server commands, and private channels without user installation."""
    registration = registered_commands(call)
    if registration is None:
        return None
    guild_id, commands = registration
    for command in commands:
        places, installs = command.get("contexts"), command.get("integration_types")
        if places is None and installs is None:
            continue
        if guild_id is not None:
            return invalid_form_body("contexts", "APPLICATION_COMMAND_INVALID_CONTEXTS", "Only for global commands")
        if (places is not None and not places) or not {*(places or ())} <= _CONTEXTS or _has_duplicates(places or ()):
            return invalid_form_body("contexts", "APPLICATION_COMMAND_INVALID_CONTEXTS", "Invalid contexts")
        if installs is not None and (not installs or not {*installs} <= {0, 1} or _has_duplicates(installs)):
            return invalid_form_body("integration_types", "BASE_TYPE_CHOICES", "Invalid integration types")
        if _PRIVATE_CHANNEL in (places or ()) and installs is not None and _USER_INSTALL not in installs:
            return invalid_form_body(
                "contexts", "APPLICATION_COMMAND_INVALID_CONTEXTS", "PRIVATE_CHANNEL needs USER_INSTALL"
            )
    return None


@make_rule(
    "names of commands",
    RuleGroup.COMMANDS,
    f"{_CODES} (40041); {_DOCS}#application-command-object-application-command-naming",
)
def duplicate_names(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse duplicate names of commands of one type, or of options of one command."""
    commands = _all_commands(call)
    if _has_duplicates((command.get("name"), command.get("type", _TYPED)) for command in commands):
        return invalid_form_body("1", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
    for command in commands:
        for part in _walk(command):
            if _has_duplicates(option.get("name") for option in part.get("options") or ()):
                return invalid_form_body(
                    "options", "APPLICATION_COMMAND_OPTIONS_DUPLICATE_NAME", "Names must be unique"
                )
    return None


@make_rule(
    "required options",
    RuleGroup.COMMANDS,
    f"{_DOCS}#application-command-object-application-command-option-structure (warning)",
)
def required_after_optional(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse required options after optional ones."""
    for command in _all_commands(call):
        for part in _walk(command):
            options = [option for option in part.get("options") or () if option.get("type") not in _SUBCOMMANDS]
            required_flags = [bool(option.get("required")) for option in options]
            if required_flags != sorted(required_flags, reverse=True):
                text = "Required options must be placed before non-required options"
                return invalid_form_body("options", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text)
    return None


@make_rule("number of commands", RuleGroup.COMMANDS, f"{_CODES} (30032); {_DOCS}#registering-a-command (100)")
def too_many_commands(call: ApiCall, _: ServerState) -> DiscordError | None:
    """Refuse more than 100 typed commands of an application."""
    if sum(command.get("type", _TYPED) == _TYPED for command in _all_commands(call)) <= MAX_COMMANDS:
        return None
    return DiscordError(status=400, code=30032, message="Maximum number of application commands reached (100).")


def _count_created(call: ApiCall, state: ServerState) -> int:
    """Return how many commands a call would register that have a new name or type."""
    registration = registered_commands(call)
    if registration is None or call.method == "PATCH":
        return 0
    registered = state.command_names(registration[0])
    return sum((str(command.get("name")), command.get("type", _TYPED)) not in registered for command in registration[1])


@make_rule("creations a day", RuleGroup.COMMANDS, f"{_CODES} (30034)")
def too_many_creations(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse to create more than 200 commands a day; updating a known name and type creates none."""
    created, limit = _count_created(call, state), state.rates.command_creates
    if not created or limit is None:
        return None
    max_creates, seconds = limit
    if len(state.recent_calls("creates", seconds)) + created <= max_creates:
        return None
    text = "Max number of daily application command creates has been reached (200)"
    return DiscordError(status=400, code=30034, message=text)


def count_creations(call: ApiCall, state: ServerState) -> None:
    if created := _count_created(call, state):
        state.count_call("creates", created)


def _has_duplicates(values: Any) -> bool:  # noqa: ANN401 - anything that can be counted
    return any(times > 1 for times in Counter(values).values())


RULES = (
    too_many_options,
    too_large,
    invalid_contexts,
    duplicate_names,
    required_after_optional,
    too_many_commands,
    too_many_creations,
)
