"""Addresses of the API that the window answers."""

from django.urls import include, path

from leaderboards.api import boards, histories, modes, players, postgame
from ranking.api import converters  # noqa: F401  - registers player_key

v1 = [
    path("modes/", modes.ModesView.as_view(), name="modes"),
    path("boards/<slug:mode>/", boards.BoardView.as_view(), name="board"),
    path("players/<player_key:id>/history/", histories.HistoryView.as_view(), name="history"),
    path("players/<player_key:id>/", players.PlayerView.as_view(), name="player"),
    path("matches/<int:number>/post-game/", postgame.PostGameView.as_view(), name="post-game"),
]

urlpatterns = [path("v1/", include((v1, "standing-api")))]
