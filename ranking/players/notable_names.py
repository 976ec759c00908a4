"""Names that look like those of the staff or of top players, for moderators to look at.

Names are compared by how they look, as it is stored with each player: an index finds the few players who look like one
of the notable ones, however many players there are. A moderator accepts a name as it looks; another name is looked at
anew.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q

from ranking.models import AcceptedName, Player, Rating, Season
from ranking.rules.names import skeleton

TOP = 50  # players of each mode's board


def to_look_at() -> Q:
    """Return a condition on players whose name looks like that of the staff or of one of the TOP players of a mode.

    The staff and accepted names are left out, and of top players who look alike the first who had the name. Two
    queries, and one for each ranked mode.
    """
    top, of_staff = _find_top(), _looks_of_staff() - {""}
    of_top = {*top.values()} - {""}
    accepted = AcceptedName.objects.filter(player=OuterRef("pk"), skeleton=OuterRef("skeleton"))
    staff, themselves = Q(user__is_staff=True, user__is_active=True), Q(pk__in=list(top), lookalike=False)
    which = Q(skeleton__in=of_staff) | Q(~themselves, skeleton__in=of_top)
    return Q(which, ~staff, ~Exists(accepted), skeleton__in=of_top | of_staff, merged_into=None, anonymised_at=None)


def accept_name(player: Player) -> bool:
    """Note that a player's name may look as it does, until it looks otherwise; False if that is so already."""
    flagged = Player.objects.filter(pk=player.pk, lookalike=True).update(lookalike=False)
    if not player.skeleton:
        return bool(flagged)
    known = AcceptedName.objects.filter(player=player)
    if not known.exists():
        AcceptedName.objects.create(player=player, skeleton=player.skeleton)
        return True
    return bool(known.exclude(skeleton=player.skeleton).update(skeleton=player.skeleton)) or bool(flagged)


def _find_top() -> dict[int, str]:
    """How the names of the top players look, by the player's id."""
    top: dict[int, str] = {}
    seasons = Season.objects.filter(current=True, mode__ranked=True).order_by("mode").values_list("mode", "pk")
    for mode, season in seasons:
        board = Rating.objects.filter(mode=mode, season=season, listed=True)
        best = board.order_by("-published_hundredths", "published_reached_at", "id")[:TOP]
        top |= dict(best.values_list("player", "player__skeleton"))
    return top


def _looks_of_staff() -> set[str]:
    """How the logins of the staff look, and the names of their players."""
    staff = User.objects.filter(is_staff=True, is_active=True)
    names = staff.values_list("username", "player__skeleton")
    return {look for name, player in names for look in (skeleton(name), player or "")}
