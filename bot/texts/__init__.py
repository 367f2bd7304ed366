"""Sentences in every language, made from keys, events, faults and views."""
