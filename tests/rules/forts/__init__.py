"""The rules of Naval Battle in their parts."""
