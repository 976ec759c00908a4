"""The matcher: waiting tickets in, proposed lobbies out, without a database. Start with: find, tickets."""
