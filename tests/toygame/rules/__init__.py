"""What is true of the toy game."""

from tests.toygame.rules.game import Toy

GAME = Toy()
