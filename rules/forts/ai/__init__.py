"""The computer captain, who sees no more than their seat does."""
