"""Telling other programs: games by signed JSON (Standard Webhooks), Discord channels by messages."""
