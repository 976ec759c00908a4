"""How well rating systems predict: replay, accuracy, calibration and dry runs. Pure. Start with: trials, accuracy."""
