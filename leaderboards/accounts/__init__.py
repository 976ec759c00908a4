"""Pages of one's own account: settings, conduct, data export and erasure. Start with: account_page, viewer."""
