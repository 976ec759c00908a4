"""A player's season on one page, with its picture and link preview. Start with: summary, ended."""
