"""War Galley with matchboxes, by Thomas Løfgren."""

from rules.matchbox.game import Matchbox

GAME = Matchbox()
