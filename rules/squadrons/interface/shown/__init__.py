"""What a seat sees: the view, squadrons in words, reasons of hints, lessons."""
