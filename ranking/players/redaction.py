"""Redaction: removes the name of a player who leaves from texts that moderators wrote.

It covers texts about the player, their matches and forfeits, and texts about no player in particular, such as the
reason of a re-rating. Name and key, as whole words, become the former player's new name. What was done, by whom and
when, stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.contrib.admin.models import LogEntry
from django.db.models import Model, Q

from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    BanAct,
    Forfeit,
    Hiding,
    Merge,
    Pardon,
    Participation,
    Player,
    Reopening,
    Rerating,
    Strike,
    Void,
)


def redact_texts(players: Sequence[Player], log: Q, words: re.Pattern[str], name: str) -> None:
    """Replace `words` by `name`; `log` selects the entries of the admin's log that are about the players."""
    of_players = Q(player__in=players)
    matches = Participation.objects.filter(of_players).values("match")
    of_bans, of_incidents = Q(ban__player__in=players), Q(incident__player__in=players)
    both = ("reason", "note", "lift_reason", "lift_note")
    _redact(Ban, of_players, both, words, name)
    _redact(BanAct, of_bans, ("reason", "note"), words, name)
    _redact(Appeal, of_players, ("answer", "note"), words, name)
    _redact(Reopening, Q(appeal__player__in=players), ("answer", "decision_note", "reason", "note"), words, name)
    _redact(Hiding, of_players, both, words, name)
    _redact(Strike, Q(rating__player__in=players), both, words, name)
    _redact(Merge, Q(kept__in=players) | Q(merged__in=players), both, words, name)
    _redact(Pardon, of_incidents, both, words, name)
    _redact(Forfeit, of_players, ("reason",), words, name)
    _redact(Void, Q(match__in=matches) | Q(forfeit__player__in=players), both, words, name)
    _redact(AuditEntry, of_players | Q(player=None), ("subject", "reason", "note"), words, name)
    _redact(Rerating, Q(), ("reason",), words, name)
    _redact(LogEntry, log, ("object_repr", "change_message"), words, name)


def lock_reratings(words: re.Pattern[str]) -> None:
    """Lock the reratings whose reason has these words, by id: they come before players in the order of locks."""
    naming = [pk for pk, reason in Rerating.objects.values_list("pk", "reason").iterator() if words.search(reason)]
    list(Rerating.objects.select_for_update(no_key=True).filter(pk__in=naming).order_by("pk").values_list("pk"))


def _redact(model: type[Model], about: Q, fields: Sequence[str], words: re.Pattern[str], name: str) -> None:
    rows = model._default_manager.filter(about)
    for pk, *texts in rows.values_list("pk", *fields).iterator():
        changed = {
            field: words.sub(name, text)[: getattr(model._meta.get_field(field), "max_length", None)]
            for field, text in zip(fields, texts, strict=True)
            if words.search(text)
        }
        if changed:  # an UPDATE, because `save` refuses changes of the audit log
            rows.filter(pk=pk).update(**changed)
