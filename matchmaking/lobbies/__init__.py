"""A lobby, from the proposed match until the match is finished. Start with: accepting, playing, results."""
