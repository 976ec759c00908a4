"""Pages. Views translate; the domain does."""
