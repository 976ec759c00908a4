"""Logits, in which strengths of all systems are compared: the odds of a player one logit ahead are e to 1.

A normal curve is close to a logistic curve that is 1.702 times as steep.
"""

from math import log, sqrt

NORMAL = 1.702 / sqrt(2)  # logits per standard deviation of one player's form
POINTS_PER_LOGIT = 400 / log(10)  # of Elo's logistic scale, on which 400 points make the odds ten times as high
SETTLED = 0.3  # the doubt about a player whose system keeps no uncertainty
