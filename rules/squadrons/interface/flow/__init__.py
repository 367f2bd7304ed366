"""The flow of a game: set-up, who is asked, what becomes of the answers, counts."""
