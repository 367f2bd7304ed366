"""What a draft would do as things stand, without dice: ways, attacks, odds, reach."""
