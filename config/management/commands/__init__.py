"""Commands for results, the site and reports, one module each. Start with: rate, import_matches."""
