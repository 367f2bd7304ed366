"""What is told of games: facts as values, each from one transaction and at most one job, and how they are put in words.

Nothing here knows Discord: chat lays these facts out, and a page or a digest may as well.
"""
