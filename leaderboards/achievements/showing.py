"""Achievements as people see them: which a mode offers, and which a player has earned, with names and colours.

A tier's achievement has the name that the mode gives the tier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.models import Achievement
from leaderboards.rules.achievements import ACHIEVEMENT_KINDS, BY_KEY, AchievementKind
from ranking.models import Mode, Player
from ranking.rules.tiers import tier_bounds


@dataclass(frozen=True, slots=True)
class EarnedAchievement:
    """A player's achievement with its name and its description `words`. `colour`: a tier's, else empty."""

    kind: AchievementKind
    name: str
    words: str
    colour: str
    mode: Mode
    row: Achievement


def achievable_in(mode: Mode) -> list[AchievementKind]:
    """The achievements that a mode offers. One that would tell what the mode hides (tier, rating) isn't offered."""
    if not mode.ranked:
        return []
    tiers = _tier_names(mode) if mode.shows_tier else {}
    chances = mode.shows_rating and mode.team_count == 2
    return [
        kind
        for kind in ACHIEVEMENT_KINDS
        if (kind.series != "tier" or kind.key in tiers) and (kind.series != "giant-slayer" or chances)
    ]


def find_earned(player: Player, modes: Iterable[Mode]) -> list[EarnedAchievement]:
    """A player's achievements in these modes, sorted by mode, then in the order of ACHIEVEMENT_KINDS. One query."""
    order = {kind.key: number for number, kind in enumerate(ACHIEVEMENT_KINDS)}
    offers = {mode.pk: (mode, {kind.key for kind in achievable_in(mode)}, _tier_names(mode)) for mode in modes}
    rows = Achievement.objects.filter(player=player, mode__in=offers)
    visible = [row for row in rows if row.feat in offers[row.mode_id][1]]
    visible.sort(key=lambda row: (offers[row.mode_id][0].name, row.mode_id, order[row.feat], row.occasion))
    return [_earned(row, offers[row.mode_id][0], offers[row.mode_id][2]) for row in visible]


def best_of_series(earned: Sequence[EarnedAchievement]) -> list[EarnedAchievement]:
    """Keep only the last of several achievements of one series."""
    best = {(each.row.mode_id, each.kind.series, each.row.occasion): each for each in earned}
    return list(best.values())


def _earned(row: Achievement, mode: Mode, tiers: dict[str, str]) -> EarnedAchievement:
    kind = BY_KEY[row.feat]
    if kind.series != "tier":
        return EarnedAchievement(kind, kind.name, kind.words_for(by_place=mode.team_count > 2), "", mode, row)
    tier = tiers[kind.key]
    return EarnedAchievement(kind, tier, kind.words.format(tier=tier), kind.key.removeprefix("tier-"), mode, row)


def _tier_names(mode: Mode) -> dict[str, str]:
    """Names of the mode's tiers by the achievement's key. If two tiers have one colour, the lower one's name."""
    names: dict[str, str] = {}
    numbered = "" if mode.tier_scheme == "named" else "Tier "
    for bound in tier_bounds(mode.tier_scheme, mode.named_tier_list):
        names.setdefault(f"tier-{bound.colour}", f"{numbered}{bound.name}")
    return names
