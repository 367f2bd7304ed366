"""What is pressed, typed and filled in on Discord, and how it is answered."""
