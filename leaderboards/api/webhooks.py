"""Webhooks in the schema: the messages of leaderboards.webhooks.registry, and what a receiver answers."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, OpenApiWebhook, extend_schema, inline_serializer
from rest_framework import serializers

from leaderboards.webhooks.events import MEANINGS, TEST
from leaderboards.webhooks.registry import PAYLOADS

_HEADERS = {
    "webhook-id": "Names what the message is about. The same message sent again has the same id.",
    "webhook-timestamp": "Seconds since 1970, when it was sent.",
    "webhook-signature": "`v1,` and the signature by Standard Webhooks; two during a rotation, with a space between.",
}


def _webhook(event: str) -> OpenApiWebhook:
    """The description of an event's message."""
    words = event.replace(".", "_")
    name = "".join(word.capitalize() for word in words.split("_"))
    envelope = inline_serializer(
        f"{name}Message",
        {
            "type": serializers.ChoiceField([event]),
            "timestamp": serializers.DateTimeField(help_text="The moment of the event."),
            "data": PAYLOADS[event].serializer(),
        },
    )
    return OpenApiWebhook(
        event,
        extend_schema(
            operation_id=f"receive_{words}",
            summary=MEANINGS.get(event, "An operator tries whether messages arrive"),
            description="Answer with any 2xx within ten seconds. Any other answer, and the message comes again later;"
            " 410 switches the webhook off. docs/integrating.md says how to verify the signature.",
            tags=["webhooks"],
            request=envelope,
            responses={"2XX": OpenApiResponse(description="The message has arrived.")},
        ),
    )


WEBHOOKS = [_webhook(event) for event in (*MEANINGS, TEST)]


def add_signatures(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Name the headers of each message: a postprocessing hook of drf-spectacular, which leaves them out."""
    result["components"].setdefault("parameters", {}).update(
        {
            name: {"name": name, "in": "header", "required": True, "description": says, "schema": {"type": "string"}}
            for name, says in _HEADERS.items()
        }
    )
    for webhook in result["webhooks"].values():
        webhook["post"]["parameters"] = [{"$ref": f"#/components/parameters/{name}"} for name in _HEADERS]
    return result
