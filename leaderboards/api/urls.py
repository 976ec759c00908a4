"""Addresses of the API that the window answers."""

from django.urls import include, path

from leaderboards.api import blocked, boards, following, histories, modes, players, postgame
from ranking.api import converters  # noqa: F401  - registers player_key

v1 = [
    path("modes/", modes.ModesView.as_view(), name="modes"),
    path("boards/<slug:mode>/", boards.BoardView.as_view(), name="board"),
    # Before any player: whose key begins "me/following/" or "me/blocked/" can't be asked for.
    path("players/me/following/", following.FollowingsView.as_view(), name="followings"),
    path("players/me/following/<path:id>/", following.FollowingView.as_view(), name="following"),
    path("players/me/blocked/", blocked.BlockingsView.as_view(), name="blockings"),
    path("players/me/blocked/<path:id>/", blocked.BlockedView.as_view(), name="blocked"),
    path("players/<player_key:id>/history/", histories.HistoryView.as_view(), name="history"),
    path("players/<player_key:id>/", players.PlayerView.as_view(), name="player"),
    path("matches/<int:number>/post-game/", postgame.PostGameView.as_view(), name="post-game"),
]

urlpatterns = [path("v1/", include((v1, "standing-api")))]
