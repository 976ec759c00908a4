"""Hooks: functions of the apps above that `ranking` calls. Settings name each by its dotted path.

Hooks are for calls upwards only; `ranking` calls its own functions directly. A Protocol says what the functions of a
hook take and return. `manage.py check` reports a path that leads to no function (config/checks.py).
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.conf import settings
from django.utils.module_loading import import_string

from ranking.models import Match, Mode, Player, Season
from ranking.rules.unreported import UnreportedMatch
from ranking.wording.names import StoredName


class Eraser(Protocol):
    """Erases what an app keeps about a player who leaves for good, in the transaction that anonymises the player."""

    def __call__(self, player: Player, /) -> None: ...


class Merger(Protocol):
    """Gives the rows of the merged player to the player who is kept, in the transaction that merges them.

    Returns, as JSON, what the splitter of the same name needs to give them back.
    """

    def __call__(self, kept: Player, merged: Player, /) -> object: ...


class Splitter(Protocol):
    """Gives back what the merger of the same name took, in the transaction that splits the two players."""

    def __call__(self, kept: Player, merged: Player, taken: object, /) -> None: ...


class Renumberer(Protocol):
    """Replaces old sequences of events by new ones (old: new), in the transaction that renumbers the events."""

    def __call__(self, sequences: Mapping[int, int], /) -> None: ...


@dataclass(frozen=True, slots=True)
class NamedLobby:
    """A lobby that a result names. `mode`: its mode's slug. `teams`: the ids of its players, by team. `objection`: why
    it can't have a result yet, in a sentence; "" if it can.
    """

    mode: str
    teams: Sequence[Sequence[int]]
    objection: str = ""


class LobbyFinder(Protocol):
    """Finds the lobbies with these keys. Keys that are unknown on this site are left out.

    It is asked in the transaction that records results, before they are rated, and where a match is compared with its
    lobby.
    """

    def __call__(self, keys: Collection[str], /) -> Mapping[str, NamedLobby]: ...


class ResultFollower(Protocol):
    """Follows up matches that name a lobby of their mode, in the transaction that records them. It locks each lobby.

    Returns which results count for nothing, as a ResultVoider does, but as read under the follower's locks.
    """

    def __call__(self, matches: Sequence[Match], now: dt.datetime, /) -> Mapping[str, str]: ...


class ResultVoider(Protocol):
    """Says which results that name a lobby count for nothing, as they come: why, by the lobby's key. It writes nothing.

    It is asked in the transaction that records them, before they are rated. If a follower finds more of them later, the
    transaction is tried again.
    """

    def __call__(self, matches: Sequence[Match], /) -> Mapping[str, str]: ...


class ReplacementFollower(Protocol):
    """Follows up a corrected result, in the transaction that corrects it: `new` has the place of `old`, which is void.

    Neither is rated anew by then: that follows.
    """

    def __call__(self, old: Match, new: Match, now: dt.datetime, /) -> None: ...


# What a correction did: a player of an archived season was struck, a strike was lifted, or an end was taken back.
STRUCK, RESTORED, REOPENED = "struck", "restored", "reopened"


class CorrectionFollower(Protocol):
    """Follows up a correction of an archived season, in the transaction that makes it.

    `kind`: STRUCK or RESTORED, with the player, who is locked; or REOPENED, without one.
    """

    def __call__(self, season: Season, kind: str, now: dt.datetime, /, *, player: Player | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """A match that is still running. It keeps its players, even those who left it, from every queue until its result
    is recorded or it is closed as lost. `number` is the ticket's, `mode` the name of the mode
    as it is stored.
    """

    number: int
    mode: StoredName
    since: dt.datetime


class VoidFollower(Protocol):
    """Follows up matches that were just voided, in the transaction that voids them; they have their modes.

    It isn't told of matches that were void as they came, nor of one that a correction replaces.
    """

    def __call__(self, matches: Sequence[Match], now: dt.datetime, /) -> None: ...


class RenameFollower(Protocol):
    """Follows up players to whom a moderator gave a name or gave one back, or whose name may change again.

    In the transaction of that act. The players, who are locked, have the names that they have now.
    """

    def __call__(self, players: Sequence[Player], now: dt.datetime, /) -> None: ...


class LockIn(Protocol):
    """Returns the running match of each of these players, by the player's id; players without one are left out."""

    def __call__(self, players: Collection[int], now: dt.datetime, /) -> Mapping[int, RunningMatch]: ...


class UnreportedFinder(Protocol):
    """Finds the matches of a mode that were never reported, whose server fell silent since a time.

    Returns a value for each player who was behind; see ranking/abuse/detection/unreported.py.
    """

    def __call__(self, mode: Mode, since: dt.datetime, /) -> Sequence[UnreportedMatch]: ...


class OutboxConsumer(Protocol):
    """Does the work that follows rated events, named by their sequences. See ranking/operations/outbox.py."""

    def __call__(self, events: Sequence[int], now: dt.datetime, /) -> None: ...


F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Hook(Generic[F]):
    """The functions of type F that a setting names: a list of dotted paths, or a dict of them by name."""

    setting: str

    def paths(self) -> list[str]:
        named: Any = getattr(settings, self.setting)
        return list(named.values()) if isinstance(named, Mapping) else list(named)

    def names(self) -> list[str]:
        """The names of the functions, of a setting that is a dict."""
        return list(getattr(settings, self.setting))

    def functions(self) -> list[F]:
        """All functions, in the order of the setting. Raises ImportError for a path that leads nowhere."""
        return [_function_at(path) for path in self.paths()]

    def function(self, name: str) -> F:
        """The function of this name, of a setting that is a dict. Raises KeyError for an unknown name."""
        function: F = _function_at(getattr(settings, self.setting)[name])
        return function


@functools.cache
def _function_at(path: str) -> Any:
    """Each path is imported once. The settings are read at each call, so a test may override them."""
    return import_string(path)


ERASERS: Hook[Eraser] = Hook("ERASERS")
MERGERS: Hook[Merger] = Hook("MERGERS")
SPLITTERS: Hook[Splitter] = Hook("SPLITTERS")
RENUMBERERS: Hook[Renumberer] = Hook("RENUMBERERS")
LOBBIES: Hook[LobbyFinder] = Hook("LOBBIES")
RESULT_FOLLOWERS: Hook[ResultFollower] = Hook("RESULT_FOLLOWERS")
RESULT_VOIDERS: Hook[ResultVoider] = Hook("RESULT_VOIDERS")
REPLACEMENT_FOLLOWERS: Hook[ReplacementFollower] = Hook("REPLACEMENT_FOLLOWERS")
CORRECTION_FOLLOWERS: Hook[CorrectionFollower] = Hook("CORRECTION_FOLLOWERS")
VOID_FOLLOWERS: Hook[VoidFollower] = Hook("VOID_FOLLOWERS")
RENAME_FOLLOWERS: Hook[RenameFollower] = Hook("RENAME_FOLLOWERS")
UNREPORTED_MATCHES: Hook[UnreportedFinder] = Hook("UNREPORTED_MATCHES")
LOCK_INS: Hook[LockIn] = Hook("LOCK_INS")
OUTBOX_CONSUMERS: Hook[OutboxConsumer] = Hook("OUTBOX_CONSUMERS")
HOOKS: tuple[Hook[Any], ...] = (
    ERASERS, MERGERS, SPLITTERS, RENUMBERERS, LOBBIES, RESULT_FOLLOWERS, RESULT_VOIDERS, CORRECTION_FOLLOWERS,
    REPLACEMENT_FOLLOWERS, VOID_FOLLOWERS, RENAME_FOLLOWERS, UNREPORTED_MATCHES, LOCK_INS, OUTBOX_CONSUMERS,
)  # fmt: skip
