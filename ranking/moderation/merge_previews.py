"""Previews a merge of two players: what it will do, for the moderator who confirms it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ranking.models import Event, Mode, Participation, Player, Rating
from ranking.moderation.merged_rows import parts_to_take
from ranking.moderation.merges import Plan, find_objection, plan_merge

_COUNTS = ("wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum")


@dataclass(frozen=True, slots=True)
class Preview:
    """`records`: of the kept and the merged player, by mode. With an `objection` there are no consequences."""

    kept: Player
    merged: Player
    objection: str
    records: dict[Mode, tuple[Rating, Rating]]
    consequences: list[str]


def preview_merge(kept: Player, merged: Player) -> Preview:
    """Preview the merge; nothing is changed."""
    objection = find_objection(kept, merged)
    first, second = _records(kept), _records(merged)
    modes = sorted({*first, *second}, key=lambda mode: mode.name)
    records = {mode: (first.get(mode, Rating()), second.get(mode, Rating())) for mode in modes}
    consequences = [] if objection else [*_consequences(kept, merged, plan_merge(kept, merged))]
    return Preview(kept, merged, objection, records, consequences)


def _records(player: Player) -> dict[Mode, Rating]:
    """By mode: the counts of a player's ratings in all seasons, added up in a rating that isn't saved."""
    totals: dict[Mode, Rating] = {}
    for rating in Rating.objects.filter(player=player).select_related("mode"):
        total = totals.setdefault(rating.mode, Rating())
        for name in _COUNTS:
            setattr(total, name, getattr(total, name) + getattr(rating, name))
    return totals


def _consequences(kept: Player, merged: Player, plan: Plan) -> Iterator[str]:
    played = parts_to_take(kept, merged).count()
    matches = "1 match becomes" if played == 1 else f"{played:,} matches become"
    yield f"{matches} {kept.name}’s, and so does any later result that names the key {merged.key}."
    if together := Participation.objects.filter(player=merged).count() - played:
        both = "A void match" if together == 1 else f"{together:,} void matches"
        yield f"{both} in which both played can’t be restored, unless they are split again."
    events = Event.objects.in_bulk(plan.anew.values())
    for mode in Mode.objects.filter(pk__in=plan.anew).order_by("name"):
        since = events[plan.anew[mode.pk]].happened_at
        yield (
            f"{mode.name} is rated anew from {since:%-d %B %Y} on, {merged.name}’s first match, within minutes: ratings"
            " of those who played with or against either may change a little."
        )
    if merged.user is not None:
        yield f"The login {merged.user.get_username()} becomes {kept.name}’s."
    yield f"{merged.name} leaves every board, and is one of the names that {kept.name} was known by."
    yield "Followers, blocks, achievements and notices are handed over, none of them twice."
    yield "The two can be split again as long as neither has played since."
    if merged.hides_matches and not kept.hides_matches:
        yield f"{kept.name}’s matches will be hidden, as {merged.name}’s are."
