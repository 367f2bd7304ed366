"""The computer captains: a first mate who takes the best attack at once, and an admiral who searches."""
