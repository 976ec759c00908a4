"""Redaction: removes the name of a player who leaves from texts that moderators wrote.

It covers texts about the player, their matches and forfeits, notes and reports of anybody, the admin's log, and texts
about no player in particular, such as the reason of a re-rating. Name and key, as whole words, become the former
player's new name. What was done, by whom and when, stays. Saved filters that name the player are deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote_plus

from django.contrib.admin.models import LogEntry
from django.db.models import Model, Q

from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    BanAct,
    BanProposal,
    Complaint,
    ComplaintCase,
    Forfeit,
    Hiding,
    Merge,
    Pardon,
    Participation,
    Player,
    PlayerNote,
    PlayerWarning,
    Renaming,
    Reopening,
    Rerating,
    SavedFilter,
    Strike,
    Void,
)

# Acts whose reason is copied from a note or a review of reports, where it may name other players than the act's.
_NAMING_OTHERS = ("withdraw note", "uphold reports", "dismiss reports", "reopen reports")
_MOST_WORDS = 50  # in a condition; SQLite bounds how long it may be


class Words:
    """Names and keys of players, and other `names` of theirs. They are found as whole words, ignoring case."""

    def __init__(self, *players: Player, names: Iterable[str] = ()) -> None:
        self._texts = {text for player in players for text in (player.name, player.key)}.union(names)
        either = "|".join(map(re.escape, sorted(self._texts, key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    def are_in(self, text: str) -> bool:
        return self._pattern.search(text) is not None

    def replace(self, text: str, name: str) -> str:
        return self._pattern.sub(name, text)

    def may_be_in(self, fields: Sequence[str]) -> Q:
        """A condition that all rows meet that have one of the words in one of these fields, and few other rows do."""
        pieces = {_plain_piece(text) for text in self._texts}
        if "" in pieces or len(pieces) > _MOST_WORDS:
            return Q()
        return Q(*((f"{field}__icontains", piece) for field in fields for piece in pieces), _connector=Q.OR)


def words_of(players: Sequence[Player]) -> Words:
    """The words of these players, with the names that moderators took from them or gave them. One query."""
    renamings = Renaming.objects.filter(player__in=players).values_list("former_name", "name")
    return Words(*players, names=[name for names in renamings for name in names])


def _plain_piece(text: str) -> str:
    """The longest piece of a text that every database finds whatever its case: ASCII and letters without case.

    I, k and s aren't in it: regular expressions find the Turkish ı, the Kelvin sign and the long s by them.
    """
    kept = (letter if _is_plain(letter) else "\0" for letter in text)
    return max("".join(kept).split("\0"), key=len)


def _is_plain(letter: str) -> bool:
    return letter.lower() == letter.upper() or (letter.isascii() and letter not in "iIkKsS")


def redact_texts(players: Sequence[Player], words: Words, name: str) -> None:
    """Replace `words` by `name`."""
    of_players = Q(player__in=players)
    matches = Participation.objects.filter(of_players).values("match")
    of_bans, of_incidents = Q(ban__player__in=players), Q(incident__player__in=players)
    both = ("reason", "note", "lift_reason", "lift_note")
    _redact(Ban, of_players, both, words, name)
    _redact(BanProposal, of_players, ("reason", "note", "answer"), words, name)
    _redact(BanAct, of_bans, ("reason", "note"), words, name)
    _redact(Appeal, of_players, ("answer", "note"), words, name)
    _redact(Reopening, Q(appeal__player__in=players), ("answer", "decision_note", "reason", "note"), words, name)
    _redact(PlayerWarning, of_players, both, words, name)
    _redact(Hiding, of_players, both, words, name)
    _redact(Strike, Q(rating__player__in=players), both, words, name)
    _redact(Merge, Q(kept__in=players) | Q(merged__in=players), both, words, name)
    _redact(Pardon, of_incidents, both, words, name)
    _redact(Forfeit, of_players, ("reason",), words, name)
    _redact(Void, Q(match__in=matches) | Q(forfeit__player__in=players), both, words, name)
    _redact(
        AuditEntry,
        of_players | Q(player=None) | Q(act__in=_NAMING_OTHERS),
        ("subject", "reason", "note"),
        words,
        name,
    )
    # What is written about others may name the player, too.
    _redact(Complaint, Q(), ("text",), words, name)
    _redact(ComplaintCase, Q(), ("reason",), words, name)
    _redact(PlayerNote, Q(), ("text", "withdraw_reason"), words, name)
    _redact(Rerating, Q(), ("reason",), words, name)
    _redact(LogEntry, Q(), ("object_repr", "change_message"), words, name)  # of deleted rows, too
    filters = SavedFilter.objects.values_list("pk", "name", "query")
    naming = [pk for pk, title, query in filters if words.are_in(title) or words.are_in(unquote_plus(query))]
    SavedFilter.objects.filter(pk__in=naming).delete()


def lock_reratings(words: Words) -> None:
    """Lock the reratings whose reason has these words, by id: they come before players in the order of locks."""
    rows = Rerating.objects.filter(words.may_be_in(["reason"])).values_list("pk", "reason")
    naming = [pk for pk, reason in rows.iterator() if words.are_in(reason)]
    list(Rerating.objects.select_for_update(no_key=True).filter(pk__in=naming).order_by("pk").values_list("pk"))


def _redact(model: type[Model], about: Q, fields: Sequence[str], words: Words, name: str) -> None:
    rows = model._default_manager.filter(about & words.may_be_in(fields))
    for pk, *texts in rows.values_list("pk", *fields).iterator():
        changed = {
            field: words.replace(text, name)[: getattr(model._meta.get_field(field), "max_length", None)]
            for field, text in zip(fields, texts, strict=True)
            if words.are_in(text)
        }
        if changed:  # an UPDATE, because `save` refuses changes of the audit log
            model._default_manager.filter(pk=pk).update(**changed)
