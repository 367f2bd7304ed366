"""What games tell: facts as values, each from one transaction and at most one job, and those facts in words.

Nothing here knows Discord: chat lays these facts out, and a page or a digest may as well.
"""
