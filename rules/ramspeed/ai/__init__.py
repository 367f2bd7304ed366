"""The computer captains, who see no more than their seat does: deckhand, first mate and admiral."""
