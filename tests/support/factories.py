"""Makers of test data: through the domain functions, each with as little to say as possible."""

import datetime as dt
import importlib
import itertools
from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, User

from config.storage.upgrades import FIRST
from ranking.matches.recording import Recorded, record_results
from ranking.models import Ban, DoubledMatch, Finding, Match, Mode, Player, Source
from ranking.moderation.sanctions import ban_players, hide_players, lift_bans, show_players
from ranking.modes.parameters import create_mode
from ranking.rules.report import PlayerReport, Report, TeamReport

JUNIOR = ("ranking.migrations.0037_junior_moderators", "matchmaking.migrations.0008_junior_moderators")
NOW = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(minutes=1)  # when pages are looked at
_numbers = itertools.count(1)


def make_mode(slug: str = "duel", system: str = "elo", **settings: Any) -> Mode:
    """A mode of two teams of one to six, placed after one match and with tiers at once unless said otherwise."""
    given: dict[str, Any] = {
        "name": slug.title(),
        "team_size_max": 6,
        "placement_matches": 1,
        "tier_least_listed": 0,
        "now": NOW,
    }
    given |= settings
    return create_mode(slug=slug, system=system, **given)


def make_source(slug: str = "test") -> Source:
    return Source.objects.get_or_create(slug=slug, defaults={"created_at": NOW})[0]


def make_report(
    *teams: Sequence[str | PlayerReport],
    mode: str = "duel",
    id: str | None = None,
    ended_at: dt.datetime = NOW,
    places: Sequence[int] | None = None,
    **more: Any,
) -> Report:
    """A result of these rosters (player ids, or PlayerReports); the first team won unless `places` say otherwise."""
    places = places or range(1, len(teams) + 1)
    return Report(
        id=id or f"match-{next(_numbers)}",
        mode=mode,
        ended_at=ended_at,
        teams=tuple(
            TeamReport(
                players=tuple(said if isinstance(said, PlayerReport) else PlayerReport(id=said) for said in roster),
                place=place,
            )
            for roster, place in zip(teams, places, strict=True)
        ),
        **more,
    )


def record_result(report: Report, *, source: Source, now: dt.datetime, elsewhere: bool = False) -> Recorded:
    """Record and rate one result; raises BadReport if it can't be recorded."""
    [recorded] = record_results([report], source=source, now=now, elsewhere=elsewhere)
    if recorded.error is not None:
        raise recorded.error
    return recorded


def record(*teams: Sequence[str | PlayerReport], now: dt.datetime = NOW, **more: Any) -> Recorded:
    """Record a result of these rosters; see make_report."""
    return record_result(make_report(*teams, **more), source=make_source(), now=now)


def ban_player(player: Player, **details: Any) -> Ban:
    """Ban one player; see ban_players."""
    return ban_players([player], **details)[0]


def lift_ban(ban: Ban, **details: Any) -> bool:
    """End one ban; False if it has ended already."""
    return bool(lift_bans([ban.pk], **details))


def hide_player(player: Player, *, now: dt.datetime) -> None:
    """Hide one player from boards."""
    hide_players([player.pk], by=None, reason="Smurf.", now=now)


def show_player(player: Player, *, now: dt.datetime) -> None:
    """Show one hidden player on boards again."""
    show_players([player.pk], by=None, reason="No smurf.", now=now)


def make_finding(player: Player, **more: Any) -> Finding:
    """A player who threw matches, in the first mode, unless said otherwise."""
    evidence = {"matches": [], "count": 9, "since": 1.7e9, "until": 1.7e9, "by": "manner", "lost": 9, "expected": 4.5}
    evidence |= {"negative": 9, "fled": 0, "thrown": 9, "fell": 100}
    given = {"kind": "delevelling", "mode": Mode.objects.first(), "score": 9.0, "evidence": evidence}
    return Finding.objects.create(player=player, **{**given, "found_at": NOW, "seen_at": NOW, **more})


def make_doubled(first: Match, second: Match | None = None) -> DoubledMatch:
    """A row of the list of doubled matches: those alike to `first`, or its overlap with `second`."""
    kind = DoubledMatch.ALIKE if second is None else DoubledMatch.OVERLAP
    times = {"ended_at": first.ended_at, "found_at": NOW}
    return DoubledMatch.objects.create(kind=kind, mode_id=first.mode_id, first=first, second=second, **times)


def make_role(name: str) -> Group:
    """A role as migrations make it, also after a test that emptied every table."""
    if not Group.objects.filter(name=name).exists():
        for app, first in FIRST.items():
            importlib.import_module(f"{app}.migrations.{first}").make_roles(apps, None)
        importlib.import_module("ranking.migrations.0026_doubled_matches").extend_roles(apps, None)
        importlib.import_module("ranking.migrations.0036_moderators_rename").let_moderators_rename(apps, None)
        for module in JUNIOR:
            importlib.import_module(module).extend_roles(apps, None)
    return Group.objects.get(name=name)


def make_staff(role: str, name: str = "", **more: Any) -> User:
    """A member of the staff with a role, named after it unless said otherwise."""
    user = User.objects.create_user(name or role, is_staff=True, **more)
    user.groups.add(make_role(role))
    return user
