"""Acts on rows of a list, from the ticked rows to the line in the history of each. Start with: acts, confirmation."""
