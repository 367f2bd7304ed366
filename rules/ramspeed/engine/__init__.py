"""The rules of Biremes … Oh My!: positions, orders, and a turn from FIRE to the end check."""
