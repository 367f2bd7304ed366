"""The rules of The Sailing Season."""
