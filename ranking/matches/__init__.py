"""A match, from its report to its changes in the ledger. Start with: recording, ledger."""
