"""Addresses of the API that this app answers: modes, boards, players, people, post-game pages."""

from django.urls import include, path

from leaderboards.api import (
    board_players,
    boards,
    distributions,
    exports,
    histories,
    modes,
    people,
    player_seasons,
    players,
    postgame,
    seasons,
)
from ranking.api import converters  # noqa: F401  - registers player_key

v1 = [
    path("modes/", modes.ModesView.as_view(), name="modes"),
    path("modes/<slug:mode>/seasons/", seasons.SeasonsView.as_view(), name="seasons"),
    path("boards/<slug:mode>/", boards.BoardView.as_view(), name="board"),
    path("boards/<slug:mode>/players/", board_players.BoardPlayersView.as_view(), name="board-players"),
    path("boards/<slug:mode>/distribution/", distributions.DistributionView.as_view(), name="distribution"),
    # These come before all players: no new player gets the key "me", or one that begins with it and a slash.
    path("players/me/", players.OwnPlayerView.as_view(), name="own-player"),
    path("players/me/following/", people.FollowingsView.as_view(), name="followings"),
    path("players/me/following/<path:id>/", people.FollowingView.as_view(), name="following"),
    path("players/me/blocked/", people.BlockingsView.as_view(), name="blockings"),
    path("players/me/blocked/<path:id>/", people.BlockedView.as_view(), name="blocked"),
    path("players/me/avoided/", people.AvoidancesView.as_view(), name="avoidances"),
    path("players/me/avoided/<path:id>/", people.AvoidedView.as_view(), name="avoided"),
    path("players/<player_key:id>/history/", histories.HistoryView.as_view(), name="history"),
    path("players/<player_key:id>/seasons/", player_seasons.PlayerSeasonsView.as_view(), name="player-seasons"),
    path("players/<player_key:id>/export/", exports.ExportView.as_view(), name="player-export"),
    path("players/<last_player_key:id>/", players.PlayerView.as_view(), name="player"),
    path("matches/<int:number>/post-game/", postgame.PostGameView.as_view(), name="post-game"),
]

urlpatterns = [path("v1/", include((v1, "leaderboards-api")))]
