"""Numbers as text, charts as SVG and player cards as PNG. Pure. Start with: numbers, curves."""
