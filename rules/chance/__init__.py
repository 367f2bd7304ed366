"""Roll dice, and prove that nobody chose them."""
