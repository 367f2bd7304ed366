"""Run a turn phase by phase (SQ 3.2). Each phase works on a `play.TurnInProgress`."""
