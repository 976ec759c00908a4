"""Commands for results, ratings and reports, one module each. Start with: rate, import_matches."""
