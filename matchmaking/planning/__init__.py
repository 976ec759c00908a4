"""Planning of queues: how long players will wait, by arithmetic. Pure. Start with: planner, report."""
