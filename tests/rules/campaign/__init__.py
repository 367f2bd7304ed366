"""Tests of The Sailing Season."""
