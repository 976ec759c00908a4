"""What /metrics says, a module a subject. Start with: view, gauges."""
