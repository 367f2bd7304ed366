"""One squadron at a time, ordered when its turn comes: which one, and what it does (SQ 9.2, D-7, D-9)."""

from __future__ import annotations

from msgspec import structs

from rules.panels import select
from rules.protocol import Choices, Group, Option
from rules.squadrons.desk.drafts import activations
from rules.squadrons.desk.drafts.activations import ActivationContext, ActivationDraft
from rules.squadrons.desk.drafts.answers import Activation
from rules.squadrons.desk.drafts.sheets import OrderDraft
from rules.squadrons.desk.panels import sheet_panel
from rules.squadrons.table.notation.order_words import who
from rules.squadrons.table.sea.state import Squadron
from rules.view import Text


def choices(context: ActivationContext, draft: ActivationDraft) -> Choices:
    """Which squadron acts; then what it does, as in a sheet."""
    able = activations.partners(context, draft.squadron)
    orders = activations.squadron_context(context, draft)
    shown = sheet_panel.choices(orders, draft.orders, partners=able)
    groups = tuple(_renamed(draft.squadron.name, group) for group in shown.groups)
    if len(context.offered) > 1:
        options = (_squadron(one, chosen=one == draft.squadron) for one in context.offered)
        groups = (select("act", options), *groups)
    missing = () if activations.written(context, draft).text else (Text("missing.orders"),)
    return structs.replace(shown, groups=groups, lines=(_acts(draft), *shown.lines), missing=missing)


def lines(context: ActivationContext, draft: ActivationDraft) -> tuple[Text, ...]:
    """The draft in words alone."""
    return (_acts(draft), *sheet_panel.lines(activations.squadron_context(context, draft), draft.orders))


def _acts(draft: ActivationDraft) -> Text:
    return Text("line.acts", {"squadron": (who(draft.squadron.name),)})


def _squadron(squadron: Squadron, *, chosen: bool) -> Option:
    name = squadron.name
    label = Text("act.squadron", {"squadron": (who(name),), "ships": len(squadron.ships)})
    return Option(f"act.{name}", label, "", name, chosen=chosen)


def _renamed(name: str, group: Group) -> Group:
    """The same options, their drafts with the squadron's name; while there is nothing to write, it is looked at."""
    options = tuple(
        structs.replace(one, draft=f"act {name}\n{one.draft}")
        if one.draft
        else structs.replace(one, focus=name if one.focus in ("all", "rest") else one.focus)
        for one in group.options
    )
    return structs.replace(group, options=options)


def warnings(context: ActivationContext, draft: ActivationDraft) -> tuple[Text, ...]:
    """Every line that would stop as things stand."""
    return sheet_panel.warnings(activations.squadron_context(context, draft), draft.orders)


def advice_without_warnings(context: ActivationContext, answer: Activation) -> Activation:
    """The answer with lines of which something is warned cut short."""
    squadron = next((one for one in context.offered if one.flagship == answer.squadron), None)
    if squadron is None:
        return answer
    own = activations.squadron_context(context, ActivationDraft(squadron, OrderDraft(answer.sheet)))
    return structs.replace(answer, sheet=sheet_panel.advice_without_warnings(own, answer.sheet))
