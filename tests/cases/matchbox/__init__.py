"""Cases of War Galley with matchboxes."""
