"""Rating systems: one package each, behind one interface. Pure. Start with: base, registry."""
