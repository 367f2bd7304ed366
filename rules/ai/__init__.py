"""Search for good orders by computer captains."""
