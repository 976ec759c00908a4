"""Admin pages of the ledger, one package a subject. Facts and derived data are shown, never edited.

Start with: base, modes.
"""

from django.contrib import admin

from ranking.admin import abuse, conduct, matches, modes, operations, players, trials

__all__ = ["abuse", "conduct", "matches", "modes", "operations", "players", "trials"]

admin.site.site_title = admin.site.site_header = "Rungs"
admin.site.index_title = "Administration"
admin.site.disable_action("delete_selected")
