"""What happens in a turn, phase by phase (SQ 3.2): each works on a `play.TurnInProgress`."""
