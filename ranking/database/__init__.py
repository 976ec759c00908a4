"""Fast SQL: prepared queries, bulk writes, arrays, locks, retries and keyset pages. Start with: locks, keyset."""
