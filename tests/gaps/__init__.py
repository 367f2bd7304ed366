"""Time that captains cannot use: on a clock that tests set, and with real processes. `make gaps` tries it at length."""
