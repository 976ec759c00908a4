"""Detectors of abuse, one a file: columns of matches in, cases out, the strongest first. Pure.

Start with: registry, cases.
"""
