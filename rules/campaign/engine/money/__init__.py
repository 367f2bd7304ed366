"""The night: yards, sieges, talents and corsairs (CA-9 to CA-11)."""
