"""Numbered cases: facts in files, one loader, one judge a system, one verdict."""
