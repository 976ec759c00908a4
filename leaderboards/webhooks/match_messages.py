"""What webhooks tell of matches that were voided or corrected: the matches as the API answers them when it is told."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboards.models import Delivery
from leaderboards.webhooks.events import MATCH_CORRECTED, MATCH_VOIDED
from ranking.api.match_answers import MatchSerializer
from ranking.matches.records import load_parts, with_voids
from ranking.models import Match, Void


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
        mode = records[pks[0]].match.mode
        names = ("old", "new") if delivery.type == MATCH_CORRECTED else ("match",)
        delivery.data = {
            "mode": {"id": mode.slug, "name": mode.name},
            **{name: MatchSerializer.fill(records[pk]) for name, pk in zip(names, pks, strict=True)},
            "reason": reasons.get((pks[0], delivery.created_at), ""),
        }


def _matches_of(delivery: Delivery) -> list[int]:
    """The matches that a message is about: the void one, and the one in its place if it was corrected."""
    first, second = map(int, delivery.occasion.split("-"))
    return [first, second] if delivery.type == MATCH_CORRECTED else [first]
