"""The panel for one squadron that is ordered when it is due (SQ-24.1)."""

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
    partners = activations.possible_partners(context, draft.squadron)
    order_context = activations.squadron_context(context, draft)
    choices = sheet_panel.draft_choices(order_context, draft.order_draft, partners=partners)
    groups = tuple(_with_squadron_name(draft.squadron.display_name, group) for group in choices.groups)
    if len(context.squadrons) > 1:
        options = (_squadron_option(squadron, chosen=squadron == draft.squadron) for squadron in context.squadrons)
        groups = (select_menu("act", options), *groups)
    missing_parts = () if activations.write_draft(context, draft).text else (Text("missing.orders"),)
    return structs.replace(
        choices, groups=groups, lines=(_acting_line(draft), *choices.lines), missing_parts=missing_parts
    )


def draft_lines(context: ActivationContext, draft: ActivationDraft) -> tuple[Text, ...]:
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
    options = tuple(
        structs.replace(option, draft=f"act {name}\n{option.draft}")
        if option.draft
        else structs.replace(option, focus=name if option.focus in ("all", "rest") else option.focus)
        for option in group.options
    )
    return structs.replace(group, options=options)


def draft_warnings(context: ActivationContext, draft: ActivationDraft) -> tuple[Text, ...]:
    return sheet_panel.draft_warnings(activations.squadron_context(context, draft), draft.order_draft)


def advice_without_warnings(context: ActivationContext, answer: ActivationOrder) -> ActivationOrder:
    squadron = next((candidate for candidate in context.squadrons if candidate.flagship == answer.squadron), None)
    if squadron is None:
        return answer
    order_context = activations.squadron_context(context, ActivationDraft(squadron, OrderDraft(answer.sheet)))
    return structs.replace(answer, sheet=sheet_panel.advice_without_warnings(order_context, answer.sheet))
