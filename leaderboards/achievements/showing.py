"""TODO from leaderboards/achievements/reading.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.models import Achievement
from leaderboards.rules.achievements import (
    BY_KEY,
    FEATS,
    Feat,
)
from ranking.models import Mode, Player
from ranking.rules.tiers import tier_bounds


@dataclass(frozen=True, slots=True)
class Earned:
    """An achievement as people see it."""

    feat: Feat
    name: str
    words: str
    colour: str
    mode: Mode
    row: Achievement


def feats_of(mode: Mode) -> list[Feat]:
    """What can be achieved in a mode, as far as it shows what that tells of: nothing hidden is betrayed."""
    if not mode.ranked:
        return []
    tiers = _tier_names(mode) if mode.shows_tier else {}
    chances = mode.shows_rating
    return [
        feat
        for feat in FEATS
        if (feat.series != "tier" or feat.key in tiers) and (feat.series != "giant-slayer" or chances)
    ]


def find_earned(player: Player, modes: Iterable[Mode]) -> list[Earned]:
    """A player's achievements in these modes, each mode's in the order of FEATS: one query."""
    order = {feat.key: number for number, feat in enumerate(FEATS)}
    shown = {mode.pk: (mode, {feat.key for feat in feats_of(mode)}, _tier_names(mode)) for mode in modes}
    rows = Achievement.objects.filter(player=player, mode__in=shown)
    visible = [row for row in rows if row.feat in shown[row.mode_id][1]]
    visible.sort(key=lambda row: (shown[row.mode_id][0].name, row.mode_id, order[row.feat], row.occasion))
    return [_told(row, shown[row.mode_id][0], shown[row.mode_id][2]) for row in visible]


def best_of_series(earned: Sequence[Earned]) -> list[Earned]:
    """Of several achievements of one series only the last."""
    best = {(each.row.mode_id, each.feat.series, each.row.occasion): each for each in earned}
    return list(best.values())


def _told(row: Achievement, mode: Mode, tiers: dict[str, str]) -> Earned:
    feat = BY_KEY[row.feat]
    if feat.series != "tier":
        return Earned(feat, feat.name, feat.words, "", mode, row)
    tier = tiers[feat.key]
    return Earned(feat, tier, feat.words.format(tier=tier), feat.key.removeprefix("tier-"), mode, row)


def _tier_names(mode: Mode) -> dict[str, str]:
    """Names of the mode's tiers by their feat; of two in one colour the lower."""
    names: dict[str, str] = {}
    numbered = "" if mode.tier_scheme == "named" else "Tier "
    for bound in tier_bounds(mode.tier_scheme, mode.named_tier_list):
        names.setdefault(f"tier-{bound.colour}", f"{numbered}{bound.name}")
    return names
