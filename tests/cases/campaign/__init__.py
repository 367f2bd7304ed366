"""Cases of The Sailing Season."""
