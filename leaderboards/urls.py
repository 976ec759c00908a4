"""Addresses of the pages."""

from django.urls import path

from leaderboards.views.boards import board
from leaderboards.views.calculator import calculator
from leaderboards.views.home import home
from leaderboards.views.matches import match
from leaderboards.views.players import player

app_name = "leaderboards"
urlpatterns = [
    path("", home, name="home"),
    path("calculator/", calculator, name="calculator"),
    path("boards/<slug:slug>/", board, name="board"),
    path("players/<path:key>/", player, name="player"),
    path("matches/<int:pk>/", match, name="match"),
]
