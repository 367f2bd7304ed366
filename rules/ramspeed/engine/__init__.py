"""What lies on the table, and what happens to it: positions, orders, a turn from FIRE to the last prize."""
