"""Connections to addresses that somebody else has named: none into the own network, none without a limit.

Start with: allowed_addresses, sockets, connections.
"""
