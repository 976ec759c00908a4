"""What the ledger's admin pages share: lists, filters, confirmation and display. Start with: base, confirmation."""
