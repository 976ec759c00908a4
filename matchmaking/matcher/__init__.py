"""Who plays whom: waiting tickets in, proposals out. Pure: no clock, no database; same tickets in any order, same answer."""
