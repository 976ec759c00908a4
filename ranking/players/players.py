"""Players: created when a result first names them, renamed by their game, and marked to be published anew.

A name that the site forbids isn't taken over. Old names are kept, and a name that looks like another player's is
flagged. A name that a moderator gave stays, whatever results say: see ranking/moderation/renaming.py.
"""

import datetime as dt
import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import CharField, OuterRef, Subquery, prefetch_related_objects
from django.db.models.functions import Coalesce

from ranking.database import locks
from ranking.database.bulk_writes import insert_rows
from ranking.database.prepared_queries import InPlaceholder, PreparedModels, prepare_models
from ranking.models import Mode, Player, PlayerName, Rating, Season
from ranking.players.forbidden_names import check_allowed, find_forbidden
from ranking.players.neutral_names import give_neutral_names
from ranking.rules.names import LONGEST, BadName, fold, skeleton
from ranking.rules.report import Report

FORMER_NAMES = 20  # shown at most


@dataclass(frozen=True, slots=True)
class ReportedName:
    """The name that a result gives a player ("" = no name), and when that match ended."""

    name: str
    ended_at: dt.datetime


def ensure_players(reports: Sequence[Report], now: dt.datetime) -> tuple[dict[str, Player], set[int]]:
    """The players of these reports by key, and the ids of newcomers, inside the caller's transaction.

    If a player was merged into another, the other one is the `owner`, for whom the result counts. Newcomers are
    inserted sorted by key, so that concurrent writers don't deadlock. Those of whom the first report says so are bots.
    """
    namings = _namings(reports)
    players = {player.key: player for player in _players_query().objects(keys=namings.keys())}
    if any(player.merged_into_id is not None for player in players.values()):
        prefetch_related_objects(list(players.values()), "merged_into")
    newcomers: dict[str, Player] = {}
    if missing := sorted(namings.keys() - players.keys()):
        bots = _bots(reports)
        rows = _newcomers({key: namings[key].name for key in missing}, now)
        for row in rows:
            row.is_bot = row.key in bots
        insert_rows(rows, ignore_conflicts=True)
        newcomers = {player.key: player for player in Player.objects.filter(key__in=missing)}
    players |= newcomers
    # A name reported for the key of a merged player doesn't rename the player who was kept.
    named = {players[key]: naming for key, naming in namings.items() if players[key].merged_into_id is None}
    changed = {
        player.pk: naming
        for player, naming in named.items()
        if naming.name and player.name != naming.name and not player.locked_name and not find_forbidden(naming.name)
    }
    players |= {player.key: player for player in rename_players(changed, now)}
    return players, {player.pk for player in newcomers.values()}


@functools.cache
def _players_query() -> PreparedModels[Player]:
    return prepare_models(Player.objects.filter(InPlaceholder("key", "keys", CharField())))


def ensure_player(key: str, name: str, now: dt.datetime) -> Player:
    """The player with this key, who is created if unknown, with this name or one made from the key."""
    known = find_player(key)
    if known is not None:
        return known
    Player.objects.bulk_create(_newcomers({key: name}, now), ignore_conflicts=True)
    return Player.objects.get(key=key)  # ours, or one that another transaction inserted first


def ensure_named(names: Mapping[str, str], now: dt.datetime) -> dict[str, int]:
    """The ids of the players whom these keys belong to. Keys that nobody has yet get players with these names, or with
    ones made from the keys. Inside the caller's transaction.
    """
    insert_rows(_newcomers({key: names[key] for key in sorted(names)}, now), ignore_conflicts=True)
    players = Player.objects.filter(key__in=list(names))
    return dict(players.values_list("key", Coalesce("merged_into", "pk")))


def find_player(key: str) -> Player | None:
    """The player with this key; if that player was merged into another, the other one."""
    if "\0" in key:
        return None  # PostgreSQL has no such text
    player = Player.objects.select_related("merged_into").filter(key=key).first()
    return None if player is None else player.owner


def _namings(reports: Iterable[Report]) -> dict[str, ReportedName]:
    """The name that these reports give each player, by key; the report of the match that ended last wins."""
    namings: dict[str, ReportedName] = {}
    for report in sorted(reports, key=lambda report: report.ended_at):
        for _, _, player in report.players():
            if player.name or player.id not in namings:
                namings[player.id] = ReportedName(player.name, report.ended_at)
    return namings


def _bots(reports: Iterable[Report]) -> set[str]:
    """The keys of the players whom the first report that names them calls bots."""
    first: dict[str, bool] = {}
    for report in reports:
        for _, _, player in report.players():
            first.setdefault(player.id, player.bot)
    return {key for key, bot in first.items() if bot}


def _newcomers(names: Mapping[str, str], now: dt.datetime) -> list[Player]:
    names = _allowed_names(names)
    taken = taken_skeletons(names.values())
    players = [Player(key=key, created_at=now) for key in names]
    for player in players:
        _give_name(player, names[player.key], taken)
    return players


def taken_skeletons(names: Collection[str]) -> set[str]:
    """Return the skeletons of these names that players have already.

    The query reads only players without the flag: of the players with the same skeleton, the first has no flag.
    """
    skeletons = {skeleton(name) for name in names}
    return set(Player.objects.filter(skeleton__in=skeletons, lookalike=False).values_list("skeleton", flat=True))


def rename_players(namings: Mapping[int, ReportedName], now: dt.datetime) -> list[Player]:
    """Take over new names, by the player's id, inside the caller's transaction. Locks players in id order.

    Returns these players as they are then, without those who were anonymised while we waited for the lock. A name from
    an older match doesn't replace the name from a newer one, and none replaces one that a moderator gave meanwhile.
    """
    if not namings:
        return []
    played = Rating.objects.filter(player=OuterRef("pk"), last_match_at__isnull=False).order_by("-last_match_at")
    rows = Player.objects.filter(pk__in=list(namings), anonymised_at=None).order_by("pk")
    rows = rows.annotate(played_at=Subquery(played.values("last_match_at")[:1]))
    locked = {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}
    renamed: dict[Player, str] = {
        row: naming.name
        for pk, naming in namings.items()
        if (row := locked.get(pk)) is not None
        and not row.locked_name
        and naming.name != row.name
        and (row.played_at is None or row.played_at <= naming.ended_at)
    }
    give_names(renamed, now)
    return list(locked.values())


def give_names(names: Mapping[Player, str], now: dt.datetime) -> None:
    """Give players these names, and record them. The caller has locked the players, whose names may change."""
    taken = taken_skeletons(names.values())
    _record_names(names, now)
    for player, name in names.items():
        _give_name(player, name, taken)
    Player.objects.bulk_update(names, ["name", "search_name", "skeleton", "lookalike"], batch_size=100)


def _give_name(player: Player, name: str, taken: set[str]) -> None:
    """Set a player's name and the fields derived from it; saves nothing.

    `taken`: skeletons of other players' names; this name's skeleton is added. If the skeleton stays the same, the
    flag `lookalike` stays, too.
    """
    player.name, player.search_name = name, fold(name)
    if player.skeleton != (new_skeleton := skeleton(name)):
        player.skeleton, player.lookalike = new_skeleton, new_skeleton in taken
    taken.add(new_skeleton)


def _record_names(renamed: Mapping[Player, str], now: dt.datetime) -> None:
    """Record the new names; at a player's first rename, record their original name, too."""
    with_names = set(PlayerName.objects.filter(player__in=renamed).values_list("player", flat=True).distinct())
    never_renamed = [player for player in renamed if player.pk not in with_names]
    PlayerName.objects.bulk_create(
        [name_row(player, player.name, player.created_at) for player in never_renamed]
        + [name_row(player, name, now) for player, name in renamed.items()]
    )


def name_row(player: Player, name: str, since: dt.datetime, *, taken_away: bool = False) -> PlayerName:
    """A row of the player's history of names; it isn't saved."""
    return PlayerName(player=player, name=name, search_name=fold(name), since=since, taken_away=taken_away)


def names_of(player: Player, *, everything: bool = False) -> list[str]:
    """Return a player's former names ("also known as"), the latest first, each once.

    `everything`: for moderators, with names that were taken away.
    """
    rows = PlayerName.objects.filter(player=player, **({} if everything else {"taken_away": False}))
    names = rows.order_by("-id").values_list("name", flat=True)[: 5 * FORMER_NAMES]
    return [name for name in dict.fromkeys(names) if name != player.name][:FORMER_NAMES]


def _allowed_names(names: Mapping[str, str]) -> dict[str, str]:
    """The names that newcomers get, by key: neutral ones in place of those that nobody may have on this site."""
    given = {key: name or _name_from(key) for key, name in names.items()}
    refused = [key for key, name in given.items() if not name or find_forbidden(name)]
    return given | give_neutral_names(refused)


def _name_from(key: str) -> str:
    """The key itself if it may be a name, else ""."""
    name = key.strip()[:LONGEST]
    try:
        check_allowed(name)
    except BadName:
        return ""
    return name


def share_every_mode() -> None:
    """Share all modes, as is due before ratings of several modes are locked: see ranking/database/locks.py."""
    locks.share_modes(Mode.objects.values_list("slug", flat=True))


def relist_all(players: Iterable[int]) -> None:
    """Have the next publication look at every rating of these players anew; locks the ratings in id order.

    Ratings of archived seasons aren't published any more.

    The caller's transaction has called share_every_mode before it locked anything.
    """
    running = Season.objects.filter(current=True).values("pk")  # a join would lock the seasons, too
    ratings = Rating.objects.filter(player__in=list(players), season__in=running)
    list(ratings.select_for_update().order_by("id").values_list("id"))
    ratings.update(to_publish=True)
