"""What webhooks tell of matches: results that were rated, voided or corrected, as the API answers them at that time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from django.urls import reverse
from rest_framework import serializers

from leaderboards.display.numbers import ordinal, rating_delta
from leaderboards.models import Delivery
from leaderboards.postgame.outcomes import headline_of, roster, score_text, team_name
from leaderboards.webhooks.discord import (
    MOST_PLAYERS,
    MOST_TEAMS,
    MOST_TEXT,
    MOST_TITLE,
    Embed,
    link_to,
    names_of,
    plain,
)
from leaderboards.webhooks.events import MATCH_CORRECTED, MATCH_RATED, MATCH_VOIDED
from leaderboards.webhooks.payloads import NamedModeSerializer, Payload
from ranking.api.match_answers import MatchSerializer, RatedMatchSerializer
from ranking.api.output import OutputSerializer
from ranking.matches.records import MatchRecord, load_parts, load_records, seen_by, with_voids
from ranking.models import STRANGER, Match, Mode, Void
from ranking.modes.parameters import system_of
from ranking.players.visibility import shown
from ranking.rules.places import places_of
from ranking.systems.shared.explanations import plain_number


class VoidNews(NamedTuple):
    """A void match. `new`: the match that has its place in the order, if it was corrected."""

    old: MatchRecord
    reason: str
    new: MatchRecord | None = None

    @property
    def mode(self) -> Mode:
        return self.old.match.mode


class VoidNewsSerializer(OutputSerializer[VoidNews]):
    """A match was voided: it counts for nothing. If it was restored before this was sent, its `state` says so."""

    mode = NamedModeSerializer()
    match = MatchSerializer(source="old")
    reason = serializers.CharField(help_text="As its players read it.")


class ReplacementNewsSerializer(OutputSerializer[VoidNews]):
    """A corrected result has the place of a wrong one in the order. The wrong one is void."""

    mode = NamedModeSerializer()
    old = MatchSerializer()
    new = MatchSerializer()
    reason = serializers.CharField(allow_blank=True, help_text="As its players read it.")


def load_matches(deliveries: Iterable[Delivery]) -> dict[str, MatchRecord]:
    """Load the matches of these deliveries, by occasion. Four queries, however many."""
    events = [int(delivery.occasion) for delivery in deliveries if delivery.type == MATCH_RATED]
    matches = Match.objects.filter(event__in=events).select_related("mode", "source", "event")
    return {str(record.match.event_id): record for record in seen_by(load_records(matches), STRANGER).values()}


def read_matches(deliveries: Iterable[Delivery]) -> None:
    """Set the data of messages about void and corrected matches. Three queries, however many messages there are."""
    told = [(delivery, _matches_of(delivery)) for delivery in deliveries
            if delivery.type in (MATCH_VOIDED, MATCH_CORRECTED)]  # fmt: skip
    ids = {match for _, matches in told for match in matches}
    if not ids:
        return
    matches = with_voids(Match.objects.filter(pk__in=ids).select_related("mode", "source"))
    records = load_parts(matches)
    voids = Void.objects.filter(match__in=ids).order_by("pk").values_list("match", "voided_at", "reason")
    reasons = {(match, voided_at): reason for match, voided_at, reason in voids}
    for delivery, pks in told:  # the void is of the moment of the message
        reason = reasons.get((pks[0], delivery.created_at), "")
        news = VoidNews(records[pks[0]], reason, records[pks[1]] if len(pks) > 1 else None)
        delivery.data = PAYLOADS[delivery.type].serializer.fill(news)


def _matches_of(delivery: Delivery) -> list[int]:
    """The matches that a message is about: the void one, and the one in its place if it was corrected."""
    first, second = map(int, delivery.occasion.split("-"))
    return [first, second] if delivery.type == MATCH_CORRECTED else [first]


def _match_embed(record: MatchRecord) -> Embed:
    match = record.match
    places = places_of(match.teams, record.parts)
    order = sorted(range(len(places)), key=lambda team: (places[team], team))
    first = [team_name(match, record.parts, team) for team in order if places[team] == 1]
    headline = headline_of([plain(name) for name in first], len(places))
    return {
        "title": f"{plain(match.mode.name)}: {headline}"[:MOST_TITLE],
        "description": "\n".join(_team_line(record, team, places[team]) for team in order[:MOST_TEAMS])[:MOST_TEXT],
        "timestamp": match.ended_at.isoformat(),
        **link_to(reverse("leaderboards:match", args=[match.pk])),
    }


def _team_line(record: MatchRecord, team: int, place: int) -> str:
    match, parts = record.match, roster(record.parts, team)
    changes = {change.player_id: change for change in record.changes} if shown(match.mode).rating else {}
    people = []
    for part in parts[:MOST_PLAYERS]:
        change = None if part.player_id in record.unseen else changes.get(part.player_id)
        decimals = 0 if change is None else system_of(change.parameters).decimals
        by = "" if change is None else f" {rating_delta(change.display_before, change.display_after, decimals).text}"
        people.append(plain(part.player.name) + by)
    name, score = team_name(match, parts, team), score_text(match, team)
    head = f"**{ordinal(place)}** " + (f"{plain(name)} " if len(parts) > 1 else "") + (f"({score}) " if score else "")
    return head + ", ".join(people) + (" …" if len(parts) > MOST_PLAYERS else "")


def _sent_match_embed(what: str, name: str, data: dict[str, Any]) -> Embed:
    """Tell a void or a correction with the result that was sent. The reason is for those who played, not for all."""
    match = data[name]
    return {
        "title": f"{plain(data['mode']['name'])}: match {match['number']} {what}"[:MOST_TITLE],
        "description": "\n".join(_sent_line(team) for team in match["teams"][:MOST_TEAMS])[:MOST_TEXT],
        **link_to(reverse("leaderboards:match", args=[match["number"]])),
    }


def _sent_line(team: dict[str, Any]) -> str:
    """A team as it was sent: its score, else its place, and who was in it."""
    score, place = team["score"], team["place"]
    result = plain_number(score) if score is not None else "" if place is None else ordinal(place)
    head = plain(team["name"]) if len(team["players"]) > 1 else ""
    return " ".join(part for part in (head, f"({result})" if result else "", names_of(team["players"])) if part)


PAYLOADS = {
    MATCH_RATED: Payload(RatedMatchSerializer, _match_embed),
    MATCH_VOIDED: Payload(VoidNewsSerializer, partial(_sent_match_embed, "was voided", "match")),
    MATCH_CORRECTED: Payload(ReplacementNewsSerializer, partial(_sent_match_embed, "was corrected", "new")),
}
