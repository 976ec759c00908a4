"""The published rules and values: conduct, names, ranks, reports, tiers. Start with: report, rank_table."""
