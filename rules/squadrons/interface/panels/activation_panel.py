"""One squadron at a time, ordered when its turn comes: which one, and what it does (SQ 9.2, D-7, D-9)."""

from __future__ import annotations

from msgspec import structs

from rules.core.protocol import Choices, Option, OptionGroup
from rules.core.view import Text
from rules.interface.panels import select_menu
from rules.squadrons.engine.notation.order_words import target_text
from rules.squadrons.engine.sea.state import Squadron
from rules.squadrons.interface.drafts import activations
from rules.squadrons.interface.drafts.activations import ActivationContext, ActivationDraft
from rules.squadrons.interface.drafts.answers import ActivationOrder
from rules.squadrons.interface.drafts.sheets import OrderDraft
from rules.squadrons.interface.panels import sheet_panel


def draft_choices(context: ActivationContext, draft: ActivationDraft) -> Choices:
    """Which squadron acts; then what it does, as in a sheet."""
    able = activations.possible_partners(context, draft.squadron)
    orders = activations.squadron_context(context, draft)
    shown = sheet_panel.draft_choices(orders, draft.order_draft, partners=able)
    groups = tuple(_with_squadron_name(draft.squadron.display_name, group) for group in shown.groups)
    if len(context.squadrons) > 1:
        options = (_squadron_option(one, chosen=one == draft.squadron) for one in context.squadrons)
        groups = (select_menu("act", options), *groups)
    missing = () if activations.write_draft(context, draft).text else (Text("missing.orders"),)
    return structs.replace(shown, groups=groups, lines=(_acting_line(draft), *shown.lines), missing_parts=missing)


def draft_lines(context: ActivationContext, draft: ActivationDraft) -> tuple[Text, ...]:
    """The draft in words alone."""
    return (
        _acting_line(draft),
        *sheet_panel.draft_lines(activations.squadron_context(context, draft), draft.order_draft),
    )


def _acting_line(draft: ActivationDraft) -> Text:
    return Text("line.acts", {"squadron": (target_text(draft.squadron.display_name),)})


def _squadron_option(squadron: Squadron, *, chosen: bool) -> Option:
    name = squadron.display_name
    label = Text("act.squadron", {"squadron": (target_text(name),), "ships": len(squadron.ships)})
    return Option(f"act.{name}", label, "", name, is_chosen=chosen)


def _with_squadron_name(name: str, group: OptionGroup) -> OptionGroup:
    """The same options, their drafts with the squadron's name; while there is nothing to write, it is looked at."""
    options = tuple(
        structs.replace(one, draft=f"act {name}\n{one.draft}")
        if one.draft
        else structs.replace(one, focus=name if one.focus in ("all", "rest") else one.focus)
        for one in group.options
    )
    return structs.replace(group, options=options)


def draft_warnings(context: ActivationContext, draft: ActivationDraft) -> tuple[Text, ...]:
    """Every line that would stop as things stand."""
    return sheet_panel.draft_warnings(activations.squadron_context(context, draft), draft.order_draft)


def advice_without_warnings(context: ActivationContext, answer: ActivationOrder) -> ActivationOrder:
    """The answer with lines of which something is warned cut short."""
    squadron = next((one for one in context.squadrons if one.flagship == answer.squadron), None)
    if squadron is None:
        return answer
    own = activations.squadron_context(context, ActivationDraft(squadron, OrderDraft(answer.sheet)))
    return structs.replace(answer, sheet=sheet_panel.advice_without_warnings(own, answer.sheet))
