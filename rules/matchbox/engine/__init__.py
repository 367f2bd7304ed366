"""What lies on the table, and what happens to it: positions, orders, a round from the reveal to backing off."""
