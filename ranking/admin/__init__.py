"""Admin pages of the ledger, one package a subject. Facts and derived data are shown, never edited.

Start with: base, modes.
"""

from django.contrib import admin

from ranking.admin import abuse, conduct, evaluation, fit, matches, modes, operations, players

__all__ = ["abuse", "conduct", "evaluation", "fit", "matches", "modes", "operations", "players"]

admin.site.site_title = admin.site.site_header = "Rungs"
admin.site.index_title = "Administration"
admin.site.disable_action("delete_selected")
