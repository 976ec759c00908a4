"""What rating systems share: display, explanations, parameters and the normal distribution.

Start with: params, display.
"""
