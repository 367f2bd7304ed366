"""Preview a draft without dice: ways, attacks, odds, reach."""
