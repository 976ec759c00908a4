"""Previews a merge of two players: what it will do, for the moderator who confirms it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Sum

from ranking.models import Event, Mode, Participation, Player, Rating
from ranking.moderation.merges import Plan, find_objection, plan_merge


@dataclass(frozen=True, slots=True)
class Record:
    """What a player has played in a mode, over all seasons."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    leaves: int = 0


@dataclass(frozen=True, slots=True)
class Preview:
    """`records`: by mode's name, of the kept and the merged player. With an `objection` there are no consequences."""

    kept: Player
    merged: Player
    objection: str
    records: dict[str, tuple[Record, Record]]
    consequences: list[str]


def preview_merge(kept: Player, merged: Player) -> Preview:
    """Preview the merge; nothing is changed."""
    objection = find_objection(kept, merged)
    first, second = _records(kept), _records(merged)
    records = {name: (first.get(name, Record()), second.get(name, Record())) for name in sorted({*first, *second})}
    consequences = [] if objection else [*_consequences(kept, merged, plan_merge(kept, merged))]
    return Preview(kept, merged, objection, records, consequences)


def _records(player: Player) -> dict[str, Record]:
    counts = Rating.objects.filter(player=player).values("mode__name").order_by("mode__name")
    rows = counts.annotate(won=Sum("wins"), drew=Sum("draws"), lost=Sum("losses"), left=Sum("leaves"))
    return {
        row["mode__name"]: Record(
            row["won"] + row["drew"] + row["lost"] + row["left"], row["won"], row["drew"], row["lost"], row["left"]
        )
        for row in rows
    }


def _consequences(kept: Player, merged: Player, plan: Plan) -> Iterator[str]:
    played = Participation.objects.filter(player=merged).count()
    matches = "1 match becomes" if played == 1 else f"{played:,} matches become"
    yield f"{matches} {kept.name}’s, and so does any later result that names the key {merged.key}."
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
