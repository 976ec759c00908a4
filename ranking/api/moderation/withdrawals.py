"""`/matches/withdraw/`: a sender takes back a result of its own."""

from django.utils import timezone
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import MayPostResults, check_is_for, get_key
from ranking.api.base import ApiView, Conflict
from ranking.api.moderation.authors import LONGEST_REASON, via_of
from ranking.api.moderation.matches import VoidedSerializer
from ranking.api.schema import documented
from ranking.api.views.matches import get_match
from ranking.models import Match
from ranking.moderation.withdrawals import WithdrawalRefused, withdraw_result
from ranking.operations.audit import acting_through
from ranking.validation.fields import KeyField, TextField
from ranking.validation.objects import StrictSerializer


class WithdrawalSerializer(StrictSerializer):
    """A result that its sender takes back."""

    id = KeyField(max_length=128, help_text="Your own id of the match, as you sent it.")
    reason = TextField(max_length=LONGEST_REASON, help_text="Why. The match's page shows it to everybody.")


class WithdrawView(ApiView):
    permission_classes = [MayPostResults]

    @documented(
        "Withdraw a result of your own",
        operation_id="withdraw_match",
        description=(
            "The match is void, as if a moderator had voided it: it counts for nothing, and what came after it is rated"
            " anew. For as many seconds after it arrived as its mode says (`withdraw_seconds`), and only for the source"
            " that sent it. Sent again, it changes nothing. Send the right result under another `id`, without a"
            " `lobby`."
        ),
        request=WithdrawalSerializer,
        answers={200: VoidedSerializer},
        problems=[400, 403, 404, 409, 415],
        meanings={409: "The mode lets no sender do that, or not any more, or a moderator has decided about the match."},
    )
    def post(self, request: Request) -> Response:
        body = WithdrawalSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        key, own = get_key(request), body.validated_data["id"]
        match = Match.objects.select_related("mode").filter(source=key.source_id, external_id=own).first()
        if match is None:
            raise NotFound(f"Your source has sent no result {own!r}.")
        check_is_for(request, match.mode.slug)
        try:
            with acting_through(via_of(key)):
                withdraw_result(match, reason=body.validated_data["reason"], now=timezone.now())
        except WithdrawalRefused as refused:
            raise Conflict(str(refused), "not-withdrawable") from refused
        return Response(VoidedSerializer.fill(get_match(request, match.pk)))
