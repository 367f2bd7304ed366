"""War Galley with matchboxes, by Thomas Løfgren."""
