"""The bodies of messages: for a game, the API's public representation as JSON; for Discord, an embed."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework.utils.encoders import JSONEncoder

from leaderboards.display.numbers import ordinal, rating_delta
from leaderboards.display.regions import region_name
from leaderboards.models import Delivery, Webhook
from leaderboards.postgame.outcomes import headline_of, roster, score_text, team_name
from leaderboards.webhooks.events import (
    LOBBY_ABORTED,
    MATCH_CORRECTED,
    MATCH_FOUND,
    MATCH_RATED,
    MATCH_VOIDED,
    PLAYER_PROMOTED,
    REOPENED,
    RESTORED,
    SEASON_CORRECTED,
    SEASON_ENDED,
    SEASON_STARTED,
    STRUCK,
)
from leaderboards.webhooks.sending import Message
from leaderboards.webhooks.signing import signature_headers
from ranking.api.match_answers import RatedMatchSerializer
from ranking.matches.records import MatchRecord, load_records, seen_by
from ranking.models import STRANGER, Match
from ranking.modes.parameters import system_of
from ranking.players.visibility import shown
from ranking.rules.places import places_of
from ranking.systems.shared.explanations import plain_number

_COLOURS = {MATCH_RATED: 0x3D3BD0, PLAYER_PROMOTED: 0xC28E00}
_SEASONS = {
    SEASON_ENDED: "{season} of {mode} is over",
    SEASON_STARTED: "{season} of {mode} has begun",
    STRUCK: "{player} was struck from {season} of {mode}",
    RESTORED: "{player} is back in {season} of {mode}",
    REOPENED: "{season} of {mode} goes on: its end was taken back",
}
_MOST_TEAMS, _MOST_PLAYERS, _CHAMPIONS = 8, 12, 3
_MOST_TITLE, _MOST_TEXT = 256, 4_096  # Discord's own limits
_JSON = {"Content-Type": "application/json"}


def load_matches(deliveries: Iterable[Delivery]) -> dict[str, MatchRecord]:
    """Load the matches of these deliveries, by occasion. Four queries, however many."""
    events = [int(delivery.occasion) for delivery in deliveries if delivery.type == MATCH_RATED]
    matches = Match.objects.filter(event__in=events).select_related("mode", "source", "event")
    return {str(record.match.event_id): record for record in seen_by(load_records(matches), STRANGER).values()}


def write_message(delivery: Delivery, record: MatchRecord | None, now: dt.datetime) -> Message:
    """Write the message of a delivery as it is sent now. `record`: the match, for a delivery about a match."""
    webhook = delivery.webhook
    if webhook.kind == Webhook.DISCORD:
        return Message(_encode(_discord(delivery, record)), _JSON)
    at = record.match.event.happened_at if record is not None and record.match.event else delivery.created_at
    body = _encode({"type": delivery.type, "timestamp": at, "data": _data(delivery, record)})
    return Message(body, _JSON | signature_headers(webhook, delivery.message_id, body, now))


def _encode(data: Any) -> bytes:
    return json.dumps(data, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _data(delivery: Delivery, record: MatchRecord | None) -> Any:
    if record is None:
        return delivery.data or {}
    return RatedMatchSerializer.fill(record)


def _discord(delivery: Delivery, record: MatchRecord | None) -> dict[str, Any]:
    """Make an embed. Players' names are escaped, and no name can mention anybody."""
    if record is not None:
        embed = _match_embed(record)
    elif delivery.type == PLAYER_PROMOTED:
        embed = _promotion_embed(delivery.data or {})
    elif delivery.type in (SEASON_ENDED, SEASON_STARTED, SEASON_CORRECTED):
        embed = _season_embed(delivery.type, delivery.data or {})
    elif delivery.type in (MATCH_VOIDED, MATCH_CORRECTED):
        embed = _sent_match_embed(delivery.type, delivery.data or {})
    elif delivery.type in (MATCH_FOUND, LOBBY_ABORTED):
        embed = _lobby_embed(delivery.type, delivery.data or {})
    else:
        embed = {"title": "Rungs is connected", "description": "Results and promotions will be told here."}
    embed["color"] = _COLOURS.get(delivery.type, _COLOURS[MATCH_RATED])
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _match_embed(record: MatchRecord) -> dict[str, Any]:
    match = record.match
    places = places_of(match.teams, record.parts)
    order = sorted(range(len(places)), key=lambda team: (places[team], team))
    first = [team_name(match, record.parts, team) for team in order if places[team] == 1]
    headline = headline_of([_plain(name) for name in first], len(places))
    return {
        "title": f"{_plain(match.mode.name)}: {headline}"[:_MOST_TITLE],
        "description": "\n".join(_team_line(record, team, places[team]) for team in order[:_MOST_TEAMS])[:_MOST_TEXT],
        "timestamp": match.ended_at.isoformat(),
        **_link(reverse("leaderboards:match", args=[match.pk])),
    }


def _team_line(record: MatchRecord, team: int, place: int) -> str:
    match, parts = record.match, roster(record.parts, team)
    changes = {change.player_id: change for change in record.changes} if shown(match.mode).rating else {}
    people = []
    for part in parts[:_MOST_PLAYERS]:
        change = None if part.player_id in record.unseen else changes.get(part.player_id)
        decimals = 0 if change is None else system_of(change.parameters).decimals
        by = "" if change is None else f" {rating_delta(change.display_before, change.display_after, decimals).text}"
        people.append(_plain(part.player.name) + by)
    name, score = team_name(match, parts, team), score_text(match, team)
    head = f"**{ordinal(place)}** " + (f"{_plain(name)} " if len(parts) > 1 else "") + (f"({score}) " if score else "")
    return head + ", ".join(people) + (" …" if len(parts) > _MOST_PLAYERS else "")


def _sent_match_embed(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Tell a void or a correction with the result that was sent. The reason is for those who played, not for all."""
    match, what = (data["new"], "was corrected") if kind == MATCH_CORRECTED else (data["match"], "was voided")
    return {
        "title": f"{_plain(data['mode']['name'])}: match {match['number']} {what}"[:_MOST_TITLE],
        "description": "\n".join(_sent_line(team) for team in match["teams"][:_MOST_TEAMS])[:_MOST_TEXT],
        **_link(reverse("leaderboards:match", args=[match["number"]])),
    }


def _sent_line(team: dict[str, Any]) -> str:
    """A team as it was sent: its score, else its place, and who was in it."""
    score, place = team["score"], team["place"]
    result = plain_number(score) if score is not None else "" if place is None else ordinal(place)
    head = _plain(team["name"]) if len(team["players"]) > 1 else ""
    return " ".join(part for part in (head, f"({result})" if result else "", _names(team["players"])) if part)


def _lobby_embed(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Tell that a match was found or called off. The reason is for its players, not for all."""
    mode, region = _plain(data["mode"]["name"]), _plain(region_name(data.get("region", "")))
    what = {
        MATCH_FOUND: "a match was found" + (f" in {region}" if region else ""),
        LOBBY_ABORTED: "a match was called off",
    }[kind]
    lines = [_names(team["players"]) for team in data.get("teams", ())[:_MOST_TEAMS]]
    return {"title": f"{mode}: {what}"[:_MOST_TITLE], "description": "\n".join(lines)[:_MOST_TEXT]}


def _names(players: Sequence[dict[str, Any]]) -> str:
    names = ["Somebody" if player["name"] is None else _plain(player["name"]) for player in players[:_MOST_PLAYERS]]
    return ", ".join(names) + (" …" if len(players) > _MOST_PLAYERS else "")


def _promotion_embed(data: dict[str, Any]) -> dict[str, Any]:
    name, tier, mode = (_plain(each) for each in (data["player"]["name"], data["tier"], data["mode"]["name"]))
    return {
        "title": f"{name} reached {tier} in {mode}"[:_MOST_TITLE],
        "description": f"{ordinal(data['rank'])} of {data['listed']:,}.",
        **_link(reverse("leaderboards:player", args=[data["player"]["id"]])),
    }


def _season_embed(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    player = data.get("player") or {"name": ""}
    names = {"mode": data["mode"]["name"], "season": data["season"]["name"], "player": player["name"]}
    sentence = _SEASONS[data.get("correction", kind)]
    path = reverse("leaderboards:board", args=[data["mode"]["id"]])
    return {
        "title": sentence.format(**{name: _plain(text) for name, text in names.items()})[:_MOST_TITLE],
        "description": "\n".join(_champion_line(row) for row in data.get("top", ())[:_CHAMPIONS]),
        **_link(f"{path}?season={data['season']['number']}"),
    }


def _champion_line(row: dict[str, Any]) -> str:
    name = _plain(row["player"]["name"]) if row["player"] else "Somebody who has left"
    return f"**{ordinal(row['rank'])}** {name}" + (f" {row['rating']}" if row["rating"] else "")


def _link(path: str) -> dict[str, str]:
    return {"url": settings.SITE_URL + path} if settings.SITE_URL else {}


def _plain(text: str) -> str:
    """Escape a text, so that Discord shows it as it is."""
    return re.sub(r"([\\*_~`|>#\[\]()<@:-])", r"\\\1", text)
