"""`/players/{id}/bans/` and `/bans/{number}/`: bans of a player, and what ends them earlier, later or not at all."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import Conflict, get_numbered
from ranking.api.moderation.authors import (
    Act,
    ActSerializer,
    AuthorQuery,
    ModeratingView,
    check_is_for_all_modes,
    login_of,
    read_act,
    read_authored_query,
)
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import Ban
from ranking.moderation.sanctions import ban_players, extend_bans, lift_bans, shorten_bans
from ranking.moderation.undoing import resume_bans
from ranking.rules.ban_lengths import (
    LONGEST_DAYS,
    LONGEST_HOURS,
    NOT_BOTH,
    ONE_OF_BOTH,
    WHOLE_DAYS,
    WHOLE_HOURS,
    length_of,
)
from ranking.validation.fields import ChoiceField, IntegerField

ORDER = Order((("pk", "whole"),), descending=True)
SCOPES = tuple(scope for scope, _ in Ban.SCOPES)
AGAIN = "Sent again, it changes nothing and is answered alike."


class BanSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    player = serializers.CharField(help_text="The game's key for the player.")
    scope = serializers.ChoiceField(SCOPES)
    running = serializers.BooleanField(help_text="It holds now.")
    reason = serializers.CharField(help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")
    by = serializers.CharField(allow_null=True, help_text="The login name of who banned; null: the system.")
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True, help_text="Null: for good.")
    lifted_at = serializers.DateTimeField(allow_null=True)
    lifted_by = serializers.CharField(allow_null=True)
    lift_reason = serializers.CharField(allow_blank=True)
    lift_note = serializers.CharField(allow_blank=True)


class BansQuery(PageQuery, AuthorQuery):
    pass


class LengthField(IntegerField):
    """A whole number of days or hours. `whole`: the sentence for one who sends a fraction."""

    def __init__(self, whole: str, **kwargs: Any) -> None:
        super().__init__(min_value=1, required=False, allow_null=True, **kwargs)
        self.whole = whole

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, float) and math.isfinite(data):
            raise serializers.ValidationError(self.whole, "type")
        return super().to_internal_value(data)


class LengthSerializer(ActSerializer):
    """An act with the time until the ban ends. `needs_length`: null or left out isn't "until it is lifted"."""

    needs_length = False

    days = LengthField(WHOLE_DAYS, max_value=LONGEST_DAYS, help_text="How long, from now on.")
    hours = LengthField(WHOLE_HOURS, max_value=LONGEST_HOURS, help_text="How long, from now on, instead of `days`.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = [name for name in ("days", "hours") if attrs.get(name) is not None]
        if len(given) > 1:
            raise serializers.ValidationError({"hours": [NOT_BOTH]})
        if self.needs_length and not given:
            raise serializers.ValidationError({"days": [ErrorDetail(ONE_OF_BOTH, "required")]})
        return attrs


class ExtendSerializer(LengthSerializer):
    """Without `days` and `hours`: until it is lifted."""


class ShortenSerializer(LengthSerializer):
    """It takes `days` or `hours`."""

    needs_length = True


class NewBanSerializer(ExtendSerializer):
    """Without `days` and `hours`: until it is lifted."""

    scope = ChoiceField(SCOPES, help_text="What the player is banned from.")


class BansView(ModeratingView):
    @documented(
        "A player's bans, the newest first",
        operation_id="list_bans",
        description="With those that are over or lifted. The author needs the right to see bans.",
        answers={200: page_of("BanPage", BanSerializer(many=True))},
        problems=[400, 403, 404],
        query=BansQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        query = read_authored_query(request, "ranking.view_ban", BansQuery)
        player = get_player(id)
        page, after = find_page(_bans().filter(player=player).order_by("-pk"), ORDER, query)
        return page_response(request, map(_ban_data, page), after)

    @documented(
        "Ban a player",
        operation_id="ban_player",
        description=(
            "From queues at once, from boards with the next publication; for so many days or hours, or until it is"
            " lifted. A player may have several bans, and those that run go on running. A player who has left for good"
            " can't be banned: 409. The author needs the right to ban."
        ),
        request=NewBanSerializer,
        answers={201: BanSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        act = read_act(request, "ranking.add_ban", NewBanSerializer)
        player = get_player(id)
        ends_at = end_of(act)
        bans = act.carry_out(ban_players, [player], scope=act.values["scope"], ends_at=ends_at)
        if not bans:
            raise Conflict("This player has left for good.")
        return Response(_ban_data(get_ban(bans[0].pk)), status=201)


class BanView(ModeratingView):
    @documented(
        "A ban",
        operation_id="get_ban",
        description="By its number. The author needs the right to see bans.",
        answers={200: BanSerializer},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, number: int) -> Response:
        check_is_for_all_modes(request)
        read_authored_query(request, "ranking.view_ban")
        return Response(_ban_data(get_ban(number)))


class LiftView(ModeratingView):
    @documented(
        "Lift a ban",
        operation_id="lift_ban",
        description=f"It ends now. An appeal against it is granted. The author needs the right to lift bans. {AGAIN}",
        request=ActSerializer,
        answers={200: BanSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, "ranking.lift_ban", lift_bans)


class ResumeView(ModeratingView):
    @documented(
        "Put a lifted ban in force again",
        operation_id="resume_ban",
        description=(
            "It runs until its end, if that is still to come. An appeal that the lifting had granted is open again."
            f" The author needs the right to lift bans. {AGAIN}"
        ),
        request=ActSerializer,
        answers={200: BanSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, "ranking.lift_ban", resume_bans)


class ExtendView(ModeratingView):
    @documented(
        "Extend a ban",
        operation_id="extend_ban",
        description=(
            "If it runs, it ends so many days or hours from now, or when it is lifted; never earlier than before. The"
            " author needs the right to extend bans."
        ),
        request=ExtendSerializer,
        answers={200: BanSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, "ranking.extend_ban", extend_bans, ExtendSerializer)


class ShortenView(ModeratingView):
    @documented(
        "Shorten a ban",
        operation_id="shorten_ban",
        description=(
            "If it runs longer, it ends so many days or hours from now; never later than before. The author needs the"
            " right to extend bans."
        ),
        request=ShortenSerializer,
        answers={200: BanSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, "ranking.extend_ban", shorten_bans, ShortenSerializer)


def _change(
    request: Request,
    number: int,
    permission: str,
    function: Callable[..., list[Ban]],
    serializer: type[ActSerializer] = ActSerializer,
) -> Response:
    """Carry an act on one ban out; the response is the ban as it is afterwards, changed or not."""
    check_is_for_all_modes(request)
    act = read_act(request, permission, serializer)
    ban = get_ban(number)
    ends = {} if serializer is ActSerializer else {"ends_at": end_of(act)}
    act.carry_out(function, [ban.pk], **ends)
    return Response(_ban_data(get_ban(number)))


def end_of(act: Act) -> dt.datetime | None:
    """When the ban ends, by the act's `days` or `hours`; None if neither is given."""
    length = length_of(act.values.get("days"), act.values.get("hours"))
    return None if length is None else act.now + length


def _bans() -> Any:
    return Ban.objects.select_related("player", "by", "lifted_by")


def get_ban(number: int) -> Ban:
    """The ban with this number. Raises NotFound."""
    ban: Ban = get_numbered(_bans(), number, "ban")
    return ban


def _ban_data(ban: Ban) -> dict[str, Any]:
    """BanSerializer's data."""
    fields = ("scope", "reason", "note", "starts_at", "ends_at", "lifted_at", "lift_reason", "lift_note")
    return {
        "number": ban.pk,
        "player": ban.player.key,
        "running": ban.runs(timezone.now()),
        "by": login_of(ban.by),
        "lifted_by": login_of(ban.lifted_by),
        **{name: getattr(ban, name) for name in fields},
    }
