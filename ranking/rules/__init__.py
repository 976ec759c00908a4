"""The published rules as values: conduct, names, tiers, rank tables and match reports. Pure.

Start with: report, tiers.
"""
