"""Exports everything that the site keeps about a player, as one JSON document that is written while rows are read.

The export hides what a mode hides: a rating, a percentile, anything of an unranked mode.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder

from leaderboards.achievements.showing import find_earned
from leaderboards.models import Avatar, Avoidance, Preferences
from leaderboards.notifications.notices import notices_of
from leaderboards.notifications.season_news import end_announced, find_announcements, words_about
from leaderboards.notifications.topics import topics_of
from leaderboards.notifications.wording import words_of
from leaderboards.people.following import blockings_of, followings_of
from ranking.matches.forfeits import is_void
from ranking.models import Change, Forfeit, Merge, Mode, Participation, Player, PlayerName, Rating
from ranking.moderation.conduct_facts import CHUNK, CONDUCT, REPORTS
from ranking.operations.audit import NOBODY, OWNER, acting_through, record_act
from ranking.players.visibility import shown

EXPORTED, OWN = "Their data was exported.", "The player downloaded their own data."

_COUNTS = (
    "wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum", "region", "last_completed_at",
    "last_match_at", "active_until",
)  # fmt: skip
_STATE = ("display", "mu", "sigma", "volatility", "skill_matches")
_MATCH = ("started_at", "ended_at", "duration", "rounds", "variant", "server", "region", "lobby", "teams", "late")
_PART = (
    "team",
    "slot",
    "seconds",
    "joined_at",
    "left_early",
    "excused",
    "rounds_played",
    "absences",
    "party",
    "stats",
    "place",
    "places",
)


def export(player: Player, now: dt.datetime) -> Iterator[str]:
    """Yield the document in pieces. A section takes a query or two, and holds CHUNK rows in memory at most."""
    yield f'{{"exported_at": {_json(now)}, "player": {_json(_player(player))}'
    for name, rows in SECTIONS.items():
        yield f', "{name}": ['
        for index, row in enumerate(rows(player)):
            yield f"{',' if index else ''}\n{_json(row)}"
        yield "]"
    yield "}\n"


def export_for(player: Player, *, by: User, now: dt.datetime) -> Iterator[str]:
    """Yield the document for a member of staff; the audit log notes it."""
    record_act("export", f"player {player.pk}", by=by, reason=EXPORTED, now=now, player=player)
    return export(player, now)


def export_own(player: Player, *, now: dt.datetime) -> Iterator[str]:
    """Yield the document for the player; the audit log notes it, without their login, which goes when they leave."""
    with acting_through(NOBODY[OWNER]):
        record_act("export", f"player {player.pk}", by=None, reason=OWN, now=now, player=player)
    return export(player, now)


def _json(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _player(player: Player) -> dict[str, Any]:
    hiding = ("hides_matches", "hides_playing", "hides_from_friends", "hidden_at")
    fields = ("key", "name", "created_at", *hiding, "avatar")
    user = player.user
    account = user and {name: getattr(user, name) for name in ("username", "email", "date_joined", "last_login")}
    return {**{name: getattr(player, name) for name in fields}, "account": account}


def _ratings(player: Player) -> Iterator[dict[str, object]]:
    rows = Rating.objects.filter(player=player).select_related("mode", "season").order_by("pk")
    for rating in rows.iterator(CHUNK):
        state = {name: getattr(rating, name) for name in _STATE}
        yield {
            "mode": rating.mode.slug,
            "season": rating.season.number,
            **{name: getattr(rating, name) for name in _COUNTS},
            **(state if shown(rating.mode).rating else {}),
        }


def _changes(player: Player) -> Iterator[dict[str, object]]:
    rows = Change.objects.filter(player=player).select_related("mode", "season", "event").order_by("pk")
    for change in rows.iterator(CHUNK):
        states = {
            when: {name: getattr(change, f"{name}_{when}") for name in _STATE} | {"display": value / 100}
            for when, value in (("before", change.display_before), ("after", change.display_after))
        }
        yield {
            "sequence": change.event_id,
            "at": change.event.happened_at,
            "kind": change.kind,
            "match": change.match_id,
            "mode": change.mode.slug,
            "season": change.season.number,
            "generation": change.generation,
            "outcome": change.outcome or None,
            **({**states, "win_probability": change.win_probability} if shown(change.mode).rating else {}),
        }


def _matches(player: Player) -> Iterator[dict[str, object]]:
    rows = Participation.objects.filter(player=player).select_related("match__mode", "match__source").order_by("pk")
    for part in rows.iterator(CHUNK):
        match = part.match
        yield {
            "number": match.pk,
            "source": match.source.slug,
            "id": match.external_id,
            "mode": match.mode.slug,
            **{name: getattr(match, name) for name in _MATCH},
            "own": {name: getattr(part, name) for name in _PART} | _standing(part, match.mode),
        }


def _forfeits(player: Player) -> Iterator[dict[str, object]]:
    """What a forfeit did to the rating is among the changes, with the same sequence."""
    rows = Forfeit.objects.filter(player=player).annotate(void=is_void())
    for forfeit in rows.select_related("mode", "season").order_by("pk").iterator(CHUNK):
        yield {
            "sequence": forfeit.event_id,
            "lobby": forfeit.lobby,
            "mode": forfeit.mode.slug,
            "season": forfeit.season and forfeit.season.number,
            "happened_at": forfeit.happened_at,
            "reason": forfeit.reason,
            "void": forfeit.void,
            **_standing(forfeit, forfeit.mode),
        }


def _standing(row: Participation | Forfeit, mode: Mode) -> dict[str, object]:
    """Standings before and after a match or forfeit as they were then, with the ratings that they belong to."""
    visible = shown(mode)
    standing: dict[str, object] = {}
    for when in ("before", "after"):
        if visible.rank:
            standing |= {name: getattr(row, name) for name in (f"rank_{when}", f"listed_{when}")}
        if visible.percentile:
            standing[f"percentile_{when}"] = getattr(row, f"percentile_{when}")
        if visible.rating:
            hundredths = getattr(row, f"display_{when}")
            standing[f"display_{when}"] = None if hundredths is None else hundredths / 100
    return standing


def _names(player: Player) -> Iterator[dict[str, object]]:
    for row in PlayerName.objects.filter(player=player).order_by("pk").iterator(CHUNK):
        yield {"name": row.name, "since": row.since}


def _follows(player: Player) -> Iterator[dict[str, object]]:
    for row in followings_of(player).iterator(CHUNK):
        yield {"key": row.followed.key, "name": row.followed.name, "since": row.since}


def _blocks(player: Player) -> Iterator[dict[str, object]]:
    for row in blockings_of(player).iterator(CHUNK):
        yield {"key": row.blocked.key, "name": row.blocked.name, "since": row.since}


def _avoidances(player: Player) -> Iterator[dict[str, object]]:
    """Those that are over are kept until the player avoids somebody anew."""
    for row in Avoidance.objects.filter(avoider=player).select_related("avoided").order_by("-id").iterator(CHUNK):
        yield {"key": row.avoided.key, "name": row.avoided.name, "since": row.since, "until": row.until}


def _notices(player: Player) -> Iterator[dict[str, object]]:
    for notice in notices_of(player).select_related("mode").order_by("pk").iterator(CHUNK):
        mode = notice.mode
        yield {
            "mode": mode.slug if mode else None,
            "words": words_of(notice.kind, notice.data, mode.local_name if mode else ""),
            "created_at": notice.created_at,
            "read_at": notice.read_at,
        }
    for row in find_announcements(player):
        yield {
            "mode": row.season.mode.slug,
            "words": words_about(row),
            "ends_at": end_announced(row),
            "created_at": row.made_at,
            "read_at": row.read_at,
        }


def _topics(player: Player) -> Iterator[dict[str, object]]:
    for topic in topics_of(player):
        yield {"topic": topic.key, "told": topic.on}


def _preferences(player: Player) -> Iterator[dict[str, object]]:
    """The theme is kept by the browser alone."""
    for chosen in Preferences.objects.filter(user__player=player):
        yield {"language": chosen.language, "zone": chosen.zone}


def _pictures(player: Player) -> Iterator[dict[str, object]]:
    """The picture beside the name: a WebP in Base64, when it is fetched next, and when a moderator removed it."""
    for avatar in Avatar.objects.filter(player=player):
        image = None if avatar.image is None else base64.b64encode(bytes(avatar.image)).decode()
        yield {"image": image, "due_at": avatar.due_at, "removed_at": avatar.removed_at}


def _merges(player: Player) -> Iterator[dict[str, object]]:
    """The key of a player who was split from this one again isn't theirs."""
    for merge in Merge.objects.filter(kept=player).select_related("merged").order_by("pk").iterator(CHUNK):
        yield {
            "key": merge.merged.key if merge.lifted_at is None else None,
            "merged_at": merge.merged_at,
            "reason": merge.reason,
            "split_at": merge.lifted_at,
            "split_reason": merge.lift_reason,
        }


def _achievements(player: Player) -> Iterator[dict[str, object]]:
    for earned in find_earned(player, Mode.objects.all()):
        row = earned.row
        yield {
            "mode": earned.mode.slug,
            "name": earned.name,
            "words": earned.words,
            "match": row.match_id,
            "earned_at": row.earned_at,
        }


SECTIONS: dict[str, Callable[[Player], Iterable[dict[str, object]]]] = {
    "names": _names,
    "ratings": _ratings,
    "changes": _changes,
    "matches": _matches,
    "forfeits": _forfeits,
    "achievements": _achievements,
    "follows": _follows,
    "blocks": _blocks,
    "avoids": _avoidances,
    "notices": _notices,
    "notice_topics": _topics,
    "preferences": _preferences,
    "pictures": _pictures,
    **{name: facts.of for name, facts in CONDUCT.items()},
    "reports": REPORTS.of,
    "merges": _merges,
}
