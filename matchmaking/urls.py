"""URLs of the app's pages: queues, the party, lobbies, and the operators' view of queues."""

from django.contrib import admin
from django.urls import path

from matchmaking.views import lobbies, parties
from matchmaking.views.navigation import bar
from matchmaking.views.operators import queues
from matchmaking.views.queues import cancel, join, play, queue

app_name = "matchmaking"
urlpatterns = [
    path("play/", play, name="play"),
    path("play/<slug:slug>/", queue, name="queue"),
    path("play/<slug:slug>/join/", join, name="join"),
    path("play/<slug:slug>/cancel/", cancel, name="cancel"),
    path("party/", parties.party, name="party"),
    *(path(f"party/{verb}/", parties.act, {"verb": verb}, name=f"party-{verb}") for verb in parties.VERBS),
    path("lobbies/now/", bar, name="bar"),  # before the lobbies' own: "now" is no lobby's key
    path("lobbies/<slug:key>/", lobbies.lobby, name="lobby"),
    *(path(f"lobbies/<slug:key>/{verb}/", lobbies.act, {"verb": verb}, name=verb) for verb in lobbies.ACTS),
    path("queues/", admin.site.admin_view(queues), name="queues"),
]
