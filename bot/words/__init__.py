"""What is said and read in both languages: sentences, names, lengths of time, zones."""
