"""URLs of the app's pages: home, boards, players, matches, people, account, conduct, calculator, help, seasons."""

from django.urls import path, re_path, register_converter
from django.urls.converters import StringConverter

from leaderboards.boards.positions import LONGEST_KEY
from leaderboards.views.accounts import account, claim, export, leave, left, picture, privacy
from leaderboards.views.boards import board, distribution, friends, region, seasons, tiers
from leaderboards.views.calculator import calculator
from leaderboards.views.calendars import season_calendar
from leaderboards.views.conduct import appeal, conduct
from leaderboards.views.embedding import frame, table
from leaderboards.views.help import help_page
from leaderboards.views.home import home
from leaderboards.views.matches import forfeit, match, report
from leaderboards.views.notices import choose, notices, read
from leaderboards.views.people import ACTS, act, join, people, recent, search
from leaderboards.views.pictures import avatar, badge, card, match_card, season_card
from leaderboards.views.players import achievements, career, compare, matches, player
from leaderboards.views.preferences import language, theme
from leaderboards.views.seasons import about, season


class KeyConverter(StringConverter):
    """A player's key, which may hold slashes. Two keys of any length would be tried at each pair of slashes."""

    regex = f".{{1,{LONGEST_KEY}}}"


register_converter(KeyConverter, "key")

app_name = "leaderboards"
urlpatterns = [
    path("", home, name="home"),
    path("calculator/", calculator, name="calculator"),
    path("boards/<slug:slug>/", board, name="board"),
    path("boards/<slug:slug>/friends/", friends, name="friends"),
    path("boards/<slug:slug>/distribution/", distribution, name="distribution"),
    path("boards/<slug:slug>/tiers/", tiers, name="tiers"),
    path("boards/<slug:slug>/region/", region, name="region"),
    path("boards/<slug:slug>/seasons/", seasons, name="seasons"),
    path("boards/<slug:slug>/seasons/calendar.ics", season_calendar, name="season-calendar"),
    path("embed/boards/<slug:slug>/", frame, name="embedded-board"),
    path("embed/boards/<slug:slug>/table/", table, name="embedded-table"),
    path("players/<path:key>/seasons/<slug:slug>/<int:number>/card.png", season_card, name="season-card"),
    path("players/<path:key>/seasons/<slug:slug>/<int:number>/", season, name="season"),
    path("players/<path:key>/card.png", card, name="card"),
    path("players/<path:key>/avatar.webp", avatar, name="avatar"),
    path("players/<path:key>/badge.svg", badge, name="badge"),
    path("players/<path:key>/career/", career, name="career"),
    path("players/<path:key>/achievements/", achievements, name="achievements"),
    path("players/<path:key>/matches/", matches, name="matches"),
    path("players/<path:key>/", player, name="player"),
    path("compare/<key:first>/<key:second>/", compare, name="compare"),
    path("help/", help_page, name="help"),
    path("seasons/", about, name="about-seasons"),
    path("search/", search, name="search"),
    path("people/", people, name="people"),
    path("people/recent/", recent, name="recent-people"),
    path("people/join/<str:token>/", join, name="join"),
    path("people/blocked/", people, {"blocked": True}, name="blocked"),
    *(path(f"people/{verb}/", act, {"verb": verb}, name=verb) for verb in ACTS),
    path("matches/<int:pk>/card.png", match_card, name="match-card"),
    path("matches/<int:pk>/report/", report, name="report"),
    path("matches/<int:pk>/", match, name="match"),
    path("forfeits/<int:pk>/", forfeit, name="forfeit"),
    path("account/", account, name="account"),
    path("account/claim/", claim, name="claim"),
    path("account/picture/", picture, name="picture"),
    path("notifications/", notices, name="notices"),
    path("notifications/read/", read, name="read"),
    path("notifications/topics/", choose, name="topics"),
    path("conduct/", conduct, name="conduct"),
    re_path(r"^conduct/appeal/(?P<kind>ban|incident)/(?P<number>\d{1,18})/$", appeal, name="appeal"),
    path("account/privacy/", privacy, name="privacy"),
    path("account/privacy/export/", export, name="export"),
    path("account/privacy/leave/", leave, name="leave"),
    path("account/left/", left, name="left"),
    path("theme/", theme, name="theme"),
    path("language/", language, name="language"),
]
