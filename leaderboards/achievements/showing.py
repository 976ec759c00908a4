"""Achievements as people see them: which a mode offers, and which a player has earned, with names and colours.

A tier's achievement has the name that the mode gives the tier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from leaderboards.models import Achievement, AchievementCount, Progress
from leaderboards.rules.achievements import ACHIEVEMENT_KINDS, BY_KEY, EVERY_SEASON, LOSSES, STEADY, AchievementKind
from ranking.models import Mode, Player, Rating, Season
from ranking.rules.tiers import tier_bounds
from ranking.seasons.archives import mode_of
from ranking.wording.tiers import tier_text
from ranking.wording.translation import gettext

LEAST_SEASONS = 2  # archived seasons that "every season" takes


@dataclass(frozen=True, slots=True)
class EarnedAchievement:
    """A player's achievement with its name and its description `words`. `colour`: a tier's, else empty.

    `emblem`: that of the tier reached, else empty.
    """

    kind: AchievementKind
    name: str
    words: str
    colour: str
    mode: Mode
    row: Achievement
    emblem: str = ""


@dataclass(frozen=True, slots=True)
class LockedAchievement:
    """An achievement that a player hasn't earned; `done` of `needed`, both 0 if it isn't counted.

    `emblem`: that of the tier to reach, else empty.
    """

    kind: AchievementKind
    name: str
    words: str
    done: int
    needed: int
    emblem: str = ""


def achievable_in(mode: Mode) -> list[AchievementKind]:
    """The achievements that a mode offers. One that would tell what the mode hides (tier, rating) isn't offered."""
    if not mode.ranked:
        return []
    tiers = _tiers_of(mode) if mode.shows_tier else {}
    chances = mode.shows_rating and mode.team_count == 2
    return [
        kind
        for kind in ACHIEVEMENT_KINDS
        if (kind.series != "tier" or kind.key in tiers)
        and (kind.series != "season-tier" or mode.shows_tier)
        and (kind.series != "giant-slayer" or chances)
    ]


def find_earned(player: Player, modes: Iterable[Mode]) -> list[EarnedAchievement]:
    """A player's achievements in these modes, sorted by mode, then in the order of ACHIEVEMENT_KINDS. Two queries."""
    order = {kind.key: number for number, kind in enumerate(ACHIEVEMENT_KINDS)}
    offers = _offers(modes)
    rows = Achievement.objects.filter(player=player, mode__in=offers).select_related("season")
    visible = [row for row in (*rows, *_every_season(player, list(offers))) if row.feat in offers[row.mode_id][1]]
    visible.sort(
        key=lambda row: (
            offers[row.mode_id][0].name, row.mode_id, order[row.feat], row.season.number if row.season else 0,
            row.occasion,
        )
    )  # fmt: skip
    return [_earned(row, offers[row.mode_id][0], offers[row.mode_id][2]) for row in visible]


def find_latest(players: QuerySet[Player], *, most: int) -> list[EarnedAchievement]:
    """The last achievements of these players, newest first, in modes that show them. One query.

    `row.player` is read, too. A mode that hides what an achievement tells may make them fewer than `most`.
    """
    rows = Achievement.objects.filter(player__in=players).select_related("player", "season", "mode")
    latest = list(rows.order_by("-earned_at", "-id")[:most])
    offers = _offers(row.mode for row in latest)
    return [_earned(row, row.mode, offers[row.mode_id][2]) for row in latest if row.feat in offers[row.mode_id][1]]


def _offers(modes: Iterable[Mode]) -> dict[int, tuple[Mode, set[str], dict[str, _NamedTier]]]:
    """Each mode by its id, with the keys of the achievements that it offers, and its tiers."""
    different = {mode.pk: mode for mode in modes}
    return {pk: (mode, {kind.key for kind in achievable_in(mode)}, _tiers_of(mode)) for pk, mode in different.items()}


def find_next(
    player: Player, mode: Mode, earned: Sequence[EarnedAchievement], season: Season, *, shows_progress: bool
) -> list[LockedAchievement]:
    """The next achievement of each series that a player hasn't earned, without those of seasons. One query.

    `shows_progress`: the viewer may see the player's history.
    """
    held = {each.kind.key for each in earned}
    following: dict[str, AchievementKind] = {}
    for kind in achievable_in(mode):
        if kind.rule is not None and kind.key not in held:
            following.setdefault(kind.series, kind)
    return _locked(player, mode, list(following.values()), season, shows_progress=shows_progress)


def find_locked(
    player: Player, mode: Mode, earned: Sequence[EarnedAchievement], season: Season, *, shows_progress: bool
) -> list[LockedAchievement]:
    """All achievements that a player hasn't earned, the nearest first. One query.

    Of the tiers in which a season may end, only those above the best one so far.
    """
    keys = [kind.key for kind in ACHIEVEMENT_KINDS]
    held = {each.kind.key for each in earned}
    best = max((keys.index(each.kind.key) for each in earned if each.kind.series == "season-tier"), default=0)
    kinds = [
        kind
        for kind in achievable_in(mode)
        if kind.key not in held and not (kind.series == "season-tier" and keys.index(kind.key) < best)
    ]
    locked = _locked(player, mode, kinds, season, shows_progress=shows_progress)
    return sorted(locked, key=lambda each: -each.done / each.needed if each.needed else 0)


def _locked(
    player: Player, mode: Mode, kinds: Sequence[AchievementKind], season: Season, *, shows_progress: bool
) -> list[LockedAchievement]:
    if not kinds:
        return []
    progress = Progress.objects.filter(player=player, mode=mode).first() if shows_progress else None
    completed = progress.completed if progress is not None and progress.season == season.pk else 0
    by_place, tiers = mode.team_count > 2, _tiers_of(mode)
    locked = []
    for kind in kinds:
        named = tiers.get(kind.key.removeprefix("season-"))
        tier = tier_text(kind.name) if named is None else named.name
        emblem = named.emblem if named is not None and kind.series == "tier" else ""
        words = kind.words_for(by_place=by_place).format(tier=tier, season=gettext("a season"))
        progressed = _progress(kind, progress, completed, mode)
        locked.append(LockedAchievement(kind, _name_of(kind, tier), words, *progressed, emblem))
    return locked


def _progress(kind: AchievementKind, progress: Progress | None, completed: int, mode: Mode) -> tuple[int, int]:
    """How far a player is towards an achievement, and what it takes; 0 of 0 if nothing tells."""
    if progress is None:
        return 0, 0
    match kind.series:
        case "placed":
            done, needed = completed, max(1, mode.placement_matches)
        case "streak":
            done, needed = progress.wins, int(kind.key.rpartition("-")[2])
        case "comeback":
            done, needed = progress.losses, LOSSES
        case "steady":
            done, needed = progress.stayed, STEADY
        case _:
            return 0, 0
    return min(done, needed), needed


def shares_of(mode: Mode) -> dict[str, str]:
    """The share of the mode's players who have each achievement, as text: one query; empty before the first count."""
    rows = AchievementCount.objects.filter(mode=mode, players__gt=0).values_list("feat", "holders", "players")
    return {feat: _share(holders, players) for feat, holders, players in rows}


def _share(holders: int, players: int) -> str:
    percent = 100 * holders / players
    return gettext("less than 1 %") if percent < 1 else f"{percent:.0f} %"


def best_of_series(earned: Sequence[EarnedAchievement]) -> list[EarnedAchievement]:
    """Keep only the last of several achievements of one series; of all seasons, the last of the best ones."""
    best = {
        (each.row.mode_id, each.kind.series, "" if each.kind.of_season else each.row.occasion): each for each in earned
    }
    return list(best.values())


def _every_season(player: Player, modes: Sequence[int]) -> list[Achievement]:
    """One unsaved achievement for each of these modes in which the player was there in every archived season."""
    # The players are a query of their own: by an OR across a join PostgreSQL would read the ratings of everybody.
    known_as = Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player)).values("pk")
    own = Rating.objects.filter(player__in=known_as, last_match_at__isnull=False)
    played = Exists(own.filter(mode=OuterRef("mode"), season=OuterRef("pk")))
    seasons = Season.objects.filter(mode__in=modes, state=Season.ARCHIVED).order_by().values("mode")
    rows = seasons.annotate(over=Count("pk"), there=Count("pk", filter=played), last=Max("ends_at"))
    return [
        Achievement(player=player, mode_id=row["mode"], feat=EVERY_SEASON, earned_at=row["last"])
        for row in rows.filter(over__gte=LEAST_SEASONS)
        if row["there"] == row["over"]
    ]


def _earned(row: Achievement, mode: Mode, tiers: dict[str, _NamedTier]) -> EarnedAchievement:
    kind = BY_KEY[row.feat]
    if row.season is not None:
        return _of_season(kind, row, row.season, mode)
    if kind.series != "tier":
        return EarnedAchievement(kind, gettext(kind.name), kind.words_for(by_place=mode.team_count > 2), "", mode, row)
    tier = tiers[kind.key]
    return EarnedAchievement(
        kind,
        tier.name,
        gettext(kind.words).format(tier=tier.name),
        kind.key.removeprefix("tier-"),
        mode,
        row,
        tier.emblem,
    )


def _of_season(kind: AchievementKind, row: Achievement, season: Season, mode: Mode) -> EarnedAchievement:
    """An achievement of an archived season; a tier has the name that it had then."""
    season.mode = mode
    colour = kind.key.rpartition("-")[2] if kind.series == "season-tier" else ""
    named = _tiers_of(mode_of(season)).get(f"tier-{colour}")
    tier = tier_text(kind.name) if named is None else named.name
    words = gettext(kind.words).format(season=season.local_name, tier=tier)
    return EarnedAchievement(kind, _name_of(kind, tier), words, colour, mode, row)


def _name_of(kind: AchievementKind, tier: str) -> str:
    """An achievement's name. To have reached a tier and to have ended a season in it have different ones."""
    match kind.series:
        case "tier":
            return tier
        case "season-tier":
            return gettext("{tier} finish").format(tier=tier)
        case _:
            return gettext(kind.name)


class _NamedTier(NamedTuple):
    name: str
    emblem: str


def _tiers_of(mode: Mode) -> dict[str, _NamedTier]:
    """The mode's tiers by the achievement's key. If two tiers have one colour, the lower one."""
    tiers: dict[str, _NamedTier] = {}
    named = mode.tier_scheme == "named"
    for bound in tier_bounds(mode.tier_scheme, mode.named_tier_list):
        name = bound.text if named else gettext("Tier %(number)s") % {"number": bound.name}
        tiers.setdefault(f"tier-{bound.colour}", _NamedTier(name, bound.emblem))
    return tiers
