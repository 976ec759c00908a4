"""`/matches/{number}/links/`: whoever reported a match links its replay and videos."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import MayPostResults, check_is_for
from ranking.api.base import ApiView
from ranking.api.match_answers import MatchLinkSerializer
from ranking.api.schema import documented
from ranking.api.views.matches import get_match
from ranking.models import Key, Match
from ranking.rules.match_links import KINDS, LONGEST, MOST, BadLink, check_address, read_hosts
from ranking.validation.fields import ChoiceField, TextField
from ranking.validation.objects import StrictSerializer, list_of


class NewLinkSerializer(StrictSerializer):
    """A replay or a video of a match."""

    kind = ChoiceField(KINDS)  # type: ignore[assignment]
    url = TextField(max_length=LONGEST, help_text="An https address at a host that the mode allows.")


class NewLinksSerializer(StrictSerializer):
    """The links that a match shall have."""

    links = list_of(NewLinkSerializer, most=MOST, allow_empty=True)


class MatchLinksSerializer(serializers.Serializer[Any]):
    links = MatchLinkSerializer(many=True)


class LinksView(ApiView):
    permission_classes = [MayPostResults]

    @documented(
        "Link a match's replay and videos",
        operation_id="put_match_links",
        description=(
            f"At most {MOST}, which take the place of those that the match had. For keys of the source that reported"
            " it. The match's page shows them. The mode's settings say which hosts are allowed; without any, no link is"
            " taken."
        ),
        request=NewLinksSerializer,
        answers={200: MatchLinksSerializer},
        problems=[400, 403, 404, 415],
    )
    def put(self, request: Request, number: int) -> Response:
        match = get_match(request, number)
        if not isinstance(request.auth, Key) or request.auth.source_id != match.source_id:
            raise PermissionDenied("Another source reported this match; only its keys may link something.")
        check_is_for(request, match.mode.slug)
        body = NewLinksSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        links: list[dict[str, Any]] = [dict(link) for link in body.validated_data["links"]]
        hosts = read_hosts(match.mode.link_hosts)
        faults = [_fault_of(link["url"], hosts) for link in links]
        if any(faults):
            raise ValidationError({"links": faults})
        Match.objects.filter(pk=match.pk).update(links=links)
        return Response({"links": links})


def _fault_of(url: str, hosts: tuple[str, ...]) -> dict[str, list[ErrorDetail]]:
    """The fault of an address as serializers give it; empty if it has none."""
    try:
        check_address(url, hosts)
    except BadLink as error:
        return {"url": [ErrorDetail(str(error), "choice")]}
    return {}
