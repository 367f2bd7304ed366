"""The rules by what they are about; each module ends with its table."""
