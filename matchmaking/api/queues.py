"""`/queues/{mode}/`: the settings of a mode's queue, which administrators read and change."""

from __future__ import annotations

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking.models import Queue
from matchmaking.queues.administration import SETTINGS, configure_queue
from ranking.api.authentication import check_is_for
from ranking.api.moderation.authors import (
    AuthorQuery,
    ConfiguringView,
    read_act,
    read_authored_query,
)
from ranking.api.moderation.setting_fields import refusals_named, settings_serializers
from ranking.api.schema import documented

ConfiguredQueueSerializer, QueueChangeSerializer = settings_serializers("Queue", Queue, SETTINGS)


class QueueView(ConfiguringView):
    @documented(
        "A queue's settings",
        operation_id="get_queue",
        description="By the slug of its mode. The author needs the right to see queues.",
        answers={200: ConfiguredQueueSerializer},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        check_is_for(request, mode)
        read_authored_query(request, "matchmaking.view_queue")
        return Response(ConfiguredQueueSerializer.fill(get_queue(mode)))

    @documented(
        "Change a queue's settings",
        operation_id="change_queue",
        description=(
            "Those left out stay as they are; of two changes of one setting the later one holds. They hold from the"
            " next tick on. The author needs the right to change queues."
        ),
        request=QueueChangeSerializer,
        answers={200: ConfiguredQueueSerializer},
        problems=[400, 403, 404, 415],
    )
    def patch(self, request: Request, mode: str) -> Response:
        check_is_for(request, mode)
        act = read_act(request, "matchmaking.change_queue", QueueChangeSerializer)
        row = get_queue(mode)
        with refusals_named():
            act.carry_out(configure_queue, row, act.values["settings"])
        return Response(ConfiguredQueueSerializer.fill(get_queue(mode)))


def get_queue(slug: str) -> Queue:
    """The queue of the mode with this slug. Raises NotFound."""
    queue = Queue.objects.select_related("mode").filter(mode__slug=slug).first()
    if queue is None:
        raise NotFound(f"There is no queue of a mode {slug!r}.")
    return queue
