"""The rating calculator, which rates an imagined match on a page. Pure. Start with: page, results."""
