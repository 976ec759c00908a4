"""Sends results and promotions to other programs: signed JSON to games (Standard Webhooks), messages to Discord.

Start with: events, queueing.
"""
