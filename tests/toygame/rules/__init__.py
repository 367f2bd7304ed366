from tests.toygame.rules.game import Toy

GAME = Toy()
