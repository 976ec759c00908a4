"""The rating calculator's page, without a database. Start with: page, sheet."""
