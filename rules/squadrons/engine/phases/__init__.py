"""Run a turn phase by phase (SQ-03). Each phase works on a `play.TurnInProgress`."""
