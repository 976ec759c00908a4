"""Matches and forfeits of every rating system, of every kind that a page tells apart; the login `fox` plays in all."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from ranking.matches.forfeits import record_forfeit
from ranking.models import Forfeit, Incident, Match, Mode, Player
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport, Report
from ranking.standings.publishing import publish
from ranking.systems.registry import SYSTEMS
from tests.support.factories import make_mode, make_report, make_source, record_result
from tests.support.seasons import bring_along, end
from tests.support.strategies import MATCHES_OF

PARAMS: dict[str, dict[str, Any]] = {"margin": {"impact_stat": "score"}, "elo": {"alpha_first": 4, "alpha_matches": 3}}
SCORES = ((0.0, 9.0), (7.0, 7.0), (13.0, 2.0))  # lost, drawn and won, in turn


def fill_matches() -> list[str]:
    """Return the addresses of the pages."""
    now = timezone.now()
    user = User.objects.create_user("fox")
    Player.objects.create(key="fox", name="Me", search_name="me", user=user, created_at=now)
    for key in SYSTEMS:
        _, most_teams, (_, size) = MATCHES_OF[key]
        mode = make_mode(key, key, team_size_max=size, params=PARAMS.get(key, {}), now=now - dt.timedelta(days=2))
        bring_along(mode, "fox,Me,1500\n", now=now - dt.timedelta(days=2))
        _play(mode, now, doubles=size > 1)
        if most_teams > 2:
            field = make_mode(f"{key}-field", key, team_count=3, team_size_max=1, params=PARAMS.get(key, {}), now=now)
            for rosters in (["fox", "b", "c"], ["b", "c", "fox"], ["c", "fox", "b"]):
                _record(make_report(*([player] for player in rosters), mode=field.slug, ended_at=now), now)
    fun = make_mode("fun", ranked=False, now=now)
    _record(make_report([_scored("fox", 1200)], [_scored("b", 3)], mode=fun.slug, ended_at=now), now)
    elo = Mode.objects.get(slug="elo")
    end(elo, at=now)
    _record(make_report(["fox"], ["b"], mode=elo.slug, ended_at=now + dt.timedelta(seconds=1)), now)
    void([Match.objects.filter(mode=elo).earliest("pk")], by=None, reason="The server crashed.", now=now)
    incident = Incident.objects.filter(player__key="fox", match__mode=elo).latest("pk")
    pardon_incidents([incident.pk], by=None, reason="x", now=now)
    matches = [f"/matches/{pk}/" for pk in Match.objects.order_by("pk").values_list("pk", flat=True)]
    return matches + [f"/forfeits/{pk}/" for pk in Forfeit.objects.order_by("pk").values_list("pk", flat=True)]


def _play(mode: Mode, now: dt.datetime, *, doubles: bool) -> None:
    """Matches within the day before `now`, the board published after every second, and two forfeits."""
    began = now - dt.timedelta(days=1)
    for number, report in enumerate(_reports(doubles)):
        at = began + dt.timedelta(minutes=number)
        _record(replace(report, mode=mode.slug, ended_at=at, id=f"{mode.slug}-{number}"), now)
        if number % 2 == 0:
            publish(mode, now=at)
    _record(make_report(["fox"], ["b"], mode=mode.slug, ended_at=began - dt.timedelta(hours=1)), now)  # late
    me, b = (Player.objects.get(key=key) for key in ("fox", "b"))
    for lobby, player in (("1", me), ("2", b)):
        record_forfeit(mode, lobby=f"{mode.slug}-{lobby}", teams=[[me], [b]], player=player, reason="Left.", now=now)


def _scored(key: str, score: float, **more: Any) -> PlayerReport:
    return PlayerReport(id=key, stats={"score": score, "kills": score / 2, "deaths": 2.0}, **more)


def _gone(key: str, seconds: float = 100.0) -> PlayerReport:
    return PlayerReport(id=key, left_early=True, seconds=seconds)


def _reports(doubles: bool) -> Iterator[Report]:
    """Wins, draws and losses with and without scores, with leavers on either side and on both; then in teams of two."""
    pairs: list[tuple[Sequence[str | PlayerReport], Sequence[str | PlayerReport]]] = [
        (["fox"], ["b"]), (["b"], [_gone("fox")]), (["fox"], [_gone("b")]), ([_gone("fox")], [_gone("b")]),
        ([_scored("fox", 900)], [_scored("b", 300)]),
    ]  # fmt: skip
    if doubles:
        pairs += [
            (["fox", "mate"], ["b", "c"]), (["fox", _gone("mate")], ["b", "c"]), ([_gone("fox"), "mate"], ["b", "c"]),
            ([_gone("fox"), _gone("mate")], ["b", "c"]), (["fox", "mate"], [_gone("b"), _gone("c")]),
            (["fox", _gone("mate")], [_gone("b"), "c"]),
            ([_scored("fox", 9), _scored("mate", 900)], [_scored("b", 300), _scored("c", 100)]),
        ]  # fmt: skip
    for number, teams in enumerate(pairs):
        yield make_report(*teams, duration=600.0, variant="Cellar", server="eu-1", rounds=15)
        scores = SCORES[number % len(SCORES)]
        places = [1 + (scores[1] > scores[0]), 1 + (scores[0] > scores[1])]
        report = make_report(*teams, places=places, duration=600.0)
        sides = zip(report.teams, scores, ("Blue", "Amber"), strict=True)
        yield replace(report, teams=tuple(replace(team, score=score, name=name) for team, score, name in sides))


def _record(report: Report, now: dt.datetime) -> None:
    record_result(report, source=make_source(), now=now)
