"""Handlers of presses, typed text and forms."""
