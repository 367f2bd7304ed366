"""The computer captains, deckhand, first mate and admiral, who see no more than their seat does."""
