"""Addresses of the pages."""

from django.urls import path

from leaderboards.views.boards import board
from leaderboards.views.home import home
from leaderboards.views.matches import match
from leaderboards.views.pictures import badge, card
from leaderboards.views.players import player
from leaderboards.views.privacy import export, leave, left, privacy

app_name = "leaderboards"
urlpatterns = [
    path("", home, name="home"),
    path("boards/<slug:slug>/", board, name="board"),
    path("players/<path:key>/card.png", card, name="card"),
    path("players/<path:key>/badge.svg", badge, name="badge"),
    path("players/<path:key>/", player, name="player"),
    path("matches/<int:pk>/", match, name="match"),
    path("account/privacy/", privacy, name="privacy"),
    path("account/privacy/export/", export, name="export"),
    path("account/privacy/leave/", leave, name="leave"),
    path("account/left/", left, name="left"),
]
