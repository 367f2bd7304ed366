"""The computer captain, who sees no more than the seat does."""
