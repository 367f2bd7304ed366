"""Mutants of the resolver, and how many of them the tests notice."""
