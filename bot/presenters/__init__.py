"""The read side: data of games, each read in one transaction and at most one job, and their texts.

Presenters do not depend on Discord's message format.
"""
