"""The door's HTTP API. Views translate; the domain does."""
