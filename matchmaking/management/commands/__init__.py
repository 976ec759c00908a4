"""Commands for the matcher, planning and simulation, one module each. Start with: match_tickets, simulate."""
