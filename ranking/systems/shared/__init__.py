"""What rating systems share: rules for results, parameters, display, normal distribution. Start with: rules, params."""
