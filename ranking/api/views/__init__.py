"""Views of the ledger's HTTP API, one resource a file. Start with: recording, players."""
