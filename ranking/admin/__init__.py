"""The ledger in the admin: one file a subject. What is derived or a fact is shown there, never edited."""

from django.contrib import admin

from ranking.admin.abuse import findings
from ranking.admin.conduct import appeals, leavers, sanctions
from ranking.admin.matches import changes, matches, ratings
from ranking.admin.modes import history, modes, reratings, snapshots
from ranking.admin.operations import keys, outbox, sources
from ranking.admin.players import merging, players

__all__ = [
    "appeals",
    "changes",
    "findings",
    "history",
    "keys",
    "leavers",
    "matches",
    "merging",
    "modes",
    "outbox",
    "players",
    "ratings",
    "reratings",
    "sanctions",
    "snapshots",
    "sources",
]

admin.site.site_title = admin.site.site_header = "Rungs"
admin.site.index_title = "Administration"
admin.site.disable_action("delete_selected")
