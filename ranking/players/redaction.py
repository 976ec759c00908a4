"""What moderators wrote in their own words, where it names a player who leaves.

Of the player, their matches and forfeits, and of what is about no player in particular, such as a mode rated anew:
name and key as whole words become the former player's name. What was done, by whom and when, stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.contrib.admin.models import LogEntry
from django.db.models import Model, Q

from ranking.models import AuditEntry, Ban, Forfeit, Pardon, Participation, Player, Rerating, Void


def redact_texts(players: Sequence[Player], log: Q, words: re.Pattern[str], name: str) -> None:
    """Put `name` for the words; `log` says which entries of the admin's log are about them."""
    theirs = Q(player__in=players)
    played = Participation.objects.filter(theirs).values("match")
    _redact(Ban, theirs, ("reason", "lift_reason"), words, name)
    _redact(Pardon, Q(incident__player__in=players), ("reason",), words, name)
    _redact(Forfeit, theirs, ("reason",), words, name)
    _redact(Void, Q(match__in=played) | Q(forfeit__player__in=players), ("reason", "lift_reason"), words, name)
    _redact(AuditEntry, theirs | Q(player=None), ("subject", "reason"), words, name)
    _redact(Rerating, Q(), ("reason",), words, name)
    _redact(LogEntry, log, ("object_repr", "change_message"), words, name)


def _redact(model: type[Model], about: Q, fields: Sequence[str], words: re.Pattern[str], name: str) -> None:
    rows = model._default_manager.filter(about)
    for pk, *texts in rows.values_list("pk", *fields).iterator():
        said = {
            field: words.sub(name, text)[: getattr(model._meta.get_field(field), "max_length", None)]
            for field, text in zip(fields, texts, strict=True)
            if words.search(text)
        }
        if said:  # by update, for the audit log's own `save` only adds
            rows.filter(pk=pk).update(**said)
