"""Reports of abuse: what in a mode's history moderators should look at, one file a kind. Pure: NumPy columns in, cases
out, strongest first.

Every kind weighs evidence alike. Each match of a player, or of a pair, is worth the decimal logarithm of how much
likelier it is under abuse than in honest play (Good's weight of evidence, in bans); how often honest play looks so is
counted in the mode itself. The best stretch of successive matches is a case's score: 6 says that it is a million times
likelier under abuse. By Wald's inequality honest play reaches a score of s about once in 10^s matches.
"""
