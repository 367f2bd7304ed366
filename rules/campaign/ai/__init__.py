"""The computer captain."""
