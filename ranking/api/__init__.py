"""The ledger's HTTP API. Views translate; the domain does."""
