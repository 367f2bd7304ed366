"""A sixth game, small and of no consequence, that goes through every door of the house: three captains against one.

Its three folders are what any game is made of. Nothing outside knows it: it is played where `GAMES` names this
package.
"""
