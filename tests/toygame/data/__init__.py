"""Words and scenarios of the toy game."""
