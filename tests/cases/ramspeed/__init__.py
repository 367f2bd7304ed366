"""Cases of Naval Battle."""
