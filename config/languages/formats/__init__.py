"""How dates and times are written where a page gives no form of its own: in the admin. Start with: en/formats."""
