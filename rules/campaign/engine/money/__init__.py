"""The night: yards, sieges, talents and corsairs (CA parts 9 to 11)."""
