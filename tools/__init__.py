"""Tools of those who change Rungs: `make check`, and mutations of the code that its tests should catch."""
