"""Anonymises a player who leaves for good: the ledger's rows stay as they are and belong to a nameless player.

A result that is sent again under its old id gets the same response as before, because its digest is kept. A new
result with the old key makes a new player: nothing connects the key with the player who left.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote_plus

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from ranking import hooks
from ranking.database.retries import retried
from ranking.models import (
    AcceptedName,
    Appeal,
    AuditEntry,
    Ban,
    BanProposal,
    ClaimCode,
    Complaint,
    ComplaintCase,
    DeviceUse,
    Finding,
    Incident,
    Leaver,
    Match,
    Merge,
    OutboxEntry,
    Pardon,
    Participation,
    Player,
    PlayerName,
    PlayerNote,
    PlayerWarning,
    Renaming,
)
from ranking.players._redaction import Words, lock_reratings, redact_texts, words_of
from ranking.players.players import relist_all, share_every_mode
from ranking.rules.names import fold

_CHUNK = 500  # matches in memory at once
GONE = "Their player has left."
_ABOUT_A_PLAYER: tuple[type[Any], ...] = (
    Ban, BanProposal, Incident, Appeal, PlayerNote, PlayerWarning, ComplaintCase, Finding,
)  # fmt: skip
_TEXTS = ("variant", "server", "lobby")  # free texts of a match, as its sender wrote them


@retried
@transaction.atomic
def anonymise_player(player: Player, *, now: dt.datetime) -> None:
    """Take name, key and login from a player for good, wherever they are written; this can't be undone.

    The player leaves the boards with the next publication. A player who was anonymised before isn't changed.
    """
    lock_identities([player])
    player.refresh_from_db()
    if player.anonymised_at is not None:
        return
    merged = list(Player.objects.filter(merged_into=player).order_by("pk"))
    user, words = player.user, words_of([player, *merged])
    for row in (player, *merged):
        _take_identity(row, now)
    PlayerName.objects.filter(player__in=[player, *merged]).delete()
    AcceptedName.objects.filter(player__in=[player, *merged]).delete()
    Renaming.objects.filter(player__in=[player, *merged]).delete()  # the audit log keeps who renamed them, and when
    if merged:
        Merge.objects.filter(merged__in=merged).update(reason=GONE, note="", taken=None)
    ClaimCode.objects.filter(player=player).delete()
    _clean_matches(player, words)
    _clean_logs(player, [player, *merged], user, words)
    _clean_conduct(player, [player, *merged], words, now)
    DeviceUse.objects.filter(player__in=[player, *merged]).delete()
    Finding.objects.filter(Q(player=player) | Q(other=player)).delete()
    _clean_complaints([player, *merged])
    for erase in hooks.ERASERS.functions():
        erase(player)
    if user is not None and not user.is_staff:  # the admin's log refers to accounts of staff
        user.delete()


def lock_identities(players: Iterable[Player]) -> None:
    """Lock reratings that name these players, the players with those merged into them, and their ratings.

    Inside the caller's transaction, in the order of ranking/database/locks.py. The ratings are relisted. Players' keys
    aren't locked, so that new participations may refer to the players.
    """
    share_every_mode()
    ids = [player.pk for player in players]
    rows = Player.objects.filter(Q(pk__in=ids) | Q(merged_into__in=ids)).order_by("pk")
    lock_reratings(words_of(list(rows)))
    list(rows.select_for_update(no_key=True).values_list("pk"))
    relist_all(ids)


def _take_identity(player: Player, now: dt.datetime) -> None:
    code = secrets.token_hex(16)
    player.key, player.name = f"former-{code}", f"Former player {code[:4]}"
    player.search_name, player.skeleton, player.lookalike = fold(player.name), "", False
    player.locked_name = ""
    player.user, player.avatar, player.hides_matches = None, "", True
    player.hidden_at, player.anonymised_at = player.hidden_at or now, now
    player.save()


def _clean_matches(player: Player, words: Words) -> None:
    """Blank the texts of the player's matches, and drop their links, that hold the name or the key."""
    for matches in _chunks_of_matches(player):
        changed = [match for match in matches if _clean(match, words)]
        Match.objects.bulk_update(changed, ["teams", "links", *_TEXTS])
        _clean_parties(matches, words)


def _chunks_of_matches(player: Player) -> Iterator[list[Match]]:
    last = 0
    while chunk := list(
        Match.objects.filter(participations__player=player, pk__gt=last)
        .only("teams", "links", *_TEXTS)
        .order_by("pk")[:_CHUNK]
    ):
        yield chunk
        last = chunk[-1].pk


def _clean(match: Match, words: Words) -> bool:
    """Blank the texts and drop the links of one match; True if there was something to clean."""
    teams = [team for team in match.teams if words.are_in(team["name"])]
    texts = [name for name in _TEXTS if words.are_in(getattr(match, name))]
    links = [link for link in match.links if not words.are_in(unquote_plus(link["url"]))]
    naming = len(links) < len(match.links)
    match.links = links
    for team in teams:
        team["name"] = ""
    for name in texts:
        setattr(match, name, "")
    return bool(teams or texts or naming)


def _clean_parties(matches: list[Match], words: Words) -> None:
    """Rename parties whose names hold the player's name or key; their members stay together."""
    parties = Participation.objects.filter(match__in=matches).exclude(party="")
    parts = [part for part in parties.only("match_id", "party") if words.are_in(part.party)]
    names = {(part.match_id, part.party): f"party-{secrets.token_hex(8)}" for part in parts}
    for part in parts:
        part.party = names[part.match_id, part.party]
    Participation.objects.bulk_update(parts, ["party"])


def _clean_conduct(player: Player, rows: list[Player], words: Words, now: dt.datetime) -> None:
    """Delete the player's own words, notes on the player, and their name from other texts; acts and reasons stay."""
    PlayerNote.objects.filter(player__in=rows).delete()
    appeals = Appeal.objects.filter(player__in=rows)
    withdrawal = {"decision": Appeal.WITHDRAWN, "answer": GONE, "decided_at": Greatest(Value(now), F("made_at"))}
    appeals.filter(decided_at=None).update(**withdrawal)
    appeals.update(words=GONE)
    withdrawn = {
        "decision": BanProposal.WITHDRAWN,
        "answer": GONE,
        "decided_at": Greatest(Value(now), F("proposed_at")),
    }
    BanProposal.objects.filter(player__in=rows, decided_at=None).update(**withdrawn)
    for texts, names in (
        (Ban.objects.filter(player__in=rows), ("reason", "note", "lift_reason", "lift_note")),
        (Pardon.objects.filter(incident__player__in=rows), ("reason", "note", "lift_reason", "lift_note")),
        (Appeal.objects.filter(player__in=rows), ("answer", "note")),
        (AuditEntry.objects.filter(player__in=rows), ("subject", "reason", "note")),
    ):
        _blank(texts, names, words, player.name)


def _clean_complaints(rows: list[Player]) -> None:
    """Delete what others reported about the player, and the words of what the player reported."""
    Complaint.objects.filter(reported__in=rows).delete()
    ComplaintCase.objects.filter(player__in=rows).delete()
    Complaint.objects.filter(reporter__in=rows).update(text="")


def _blank(rows: QuerySet[Any], names: tuple[str, ...], words: Words, name: str) -> None:
    """Replace the player's name by `name`. This is an UPDATE, because `save` refuses changes of the audit log."""
    for row in rows.only(*names).iterator():
        texts = {field: words.replace(getattr(row, field), name) for field in names}
        if any(getattr(row, field) != text for field, text in texts.items()):
            cut = {field: text[: row._meta.get_field(field).max_length] for field, text in texts.items()}
            rows.model._default_manager.filter(pk=row.pk).update(**cut)


def _clean_logs(player: Player, rows: list[Player], user: User | None, words: Words) -> None:
    """Clean logs that may hold the name: errors of work that failed after the player's matches, and the admin's log."""
    failed = OutboxEntry.objects.exclude(last_error="").filter(event__changes__player=player)
    quoting = [entry.pk for entry in failed.only("last_error").iterator() if words.are_in(entry.last_error)]
    OutboxEntry.objects.filter(pk__in=quoting).update(last_error="")
    kinds = ContentType.objects.get_for_models(Player, User, Leaver, *_ABOUT_A_PLAYER, for_concrete_models=False)
    about = Q(content_type__in=[kinds[Player], kinds[Leaver]], object_id__in=[str(row.pk) for row in rows])
    for model in _ABOUT_A_PLAYER:
        ids = model._default_manager.filter(player__in=rows).values_list("pk", flat=True)
        about |= Q(content_type=kinds[model], object_id__in=[str(pk) for pk in ids])
    if user is not None:
        about |= Q(content_type=kinds[User], object_id=str(user.pk))
    LogEntry.objects.filter(about).update(object_repr=player.name)
    redact_texts(rows, words, player.name)
