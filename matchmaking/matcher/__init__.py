"""Who plays whom: waiting tickets in, proposals out.

Pure: no clock, no database, no chance. The same tickets in any order have the same answer.
"""
