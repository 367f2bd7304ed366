"""Show a seat the game: the view, squadrons in words, reasons of hints, lessons."""
