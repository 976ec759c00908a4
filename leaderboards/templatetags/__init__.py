"""Template tags of the pages: numbers, ratings and notices. Start with: rungs."""
