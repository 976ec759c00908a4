"""A rating system that is added to a copy of the product, and tried there as its users would use it."""
