"""Accounts and log-in: how the accounts' library and the admin site fit together. Start with: accounts, admin_site."""
