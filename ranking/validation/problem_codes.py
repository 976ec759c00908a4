"""The codes of problems: each error of the API has one, and the site has a page about each at /api/problems/.

A code is for programs and never changes. Each app lists its own; the setting PROBLEM_CODES names the lists. To add a
code, add a row to a list and raise an exception of DRF with it: `raise PermissionDenied("…", "missing-scope")`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class ProblemCode:
    """`title`: what went wrong, the same for each occurrence. `advice`: what it means, and what to do."""

    code: str
    status: int
    title: Any
    advice: object


CODES = (
    ProblemCode(
        "invalid-request", 400, _("Invalid request"),
        _(
            "Something in the request is wrong; `errors` names each field, with a code of its own. Nothing was "
            "written."
        ),
    ),
    ProblemCode(
        "malformed-json", 400, _("Not JSON"),
        _(
            "The body isn’t JSON in UTF-8: `detail` says where it goes wrong. NaN, infinities and repeated names "
            "are refused, too. Nothing was written."
        ),
    ),
    ProblemCode(
        "malformed-request", 400, _("The request can’t be answered"),
        _("The host isn’t one of this site’s, or the request is malformed. See the address that you call."),
    ),
    ProblemCode(
        "credentials-missing", 401, _("No key or token"),
        _("This call needs a key or a player’s token. Send the header `Authorization: Bearer <key or token>`."),
    ),
    ProblemCode(
        "malformed-credentials", 401, _("Malformed header Authorization"),
        _(
            "The header must be `Authorization: Bearer <key or token>`, with the key or token after the word "
            "Bearer. An environment variable that is empty is the usual cause."
        ),
    ),
    ProblemCode(
        "unknown-key", 401, _("Unknown key"),
        _("No key here has this secret. See that it was copied whole, and that it belongs to this site."),
    ),
    ProblemCode(
        "revoked-key", 401, _("Revoked key"),
        _("An operator revoked this key for good. Ask them for another one."),
    ),
    ProblemCode(
        "expired-key", 401, _("Expired key"),
        _("The key was made to end at a certain time, which has come. Ask an operator for another one."),
    ),
    ProblemCode(
        "invalid-token", 401, _("Invalid token"),
        _(
            "A player’s token is valid for an hour, or until its key is revoked. Have the game’s back end obtain "
            "another one."
        ),
    ),
    ProblemCode(
        "forbidden", 403, _("Forbidden"),
        _("The caller may not do this; `detail` says why."),
    ),
    ProblemCode(
        "missing-scope", 403, _("The scope is missing"),
        _(
            "The key lacks the scope that `detail` names. Scopes are chosen when a key is made: make a key that "
            "has it."
        ),
    ),
    ProblemCode(
        "keys-only", 403, _("For keys only"),
        _("Game servers call this with a key that has the scope that `detail` names. A player’s token won’t do."),
    ),
    ProblemCode(
        "players-only", 403, _("For players only"),
        _(
            "A key belongs to no player. Call this with a player’s token, which a key with the scope `players` "
            "obtains."
        ),
    ),
    ProblemCode(
        "other-mode", 403, _("The key is for other modes"),
        _(
            "The key, or the key behind the player’s token, is for some modes only, and this isn’t one of them. "
            "Use a key of this mode."
        ),
    ),
    ProblemCode(
        "other-player", 403, _("Another player’s data"),
        _("Players may see this about themselves only. Keys with the scope `read` see it about everybody."),
    ),
    ProblemCode(
        "hidden", 403, _("The player hides this"),
        _("The player has chosen to hide their matches. Show nothing; asking again doesn’t help."),
    ),
    ProblemCode(
        "csrf-token-missing", 403, _("The CSRF token is missing"),
        _(
            "A page that is logged in by its cookie writes only with the site’s token in the header X-CSRFToken. "
            "Programs use a key or a token instead."
        ),
    ),
    ProblemCode(
        "not-found", 404, _("Not found"),
        _("What the address names doesn’t exist, or the caller may not know of it; `detail` says what."),
    ),
    ProblemCode(
        "no-such-address", 404, _("No such address"),
        _(
            "The API has nothing at this address. Addresses begin with /api/v1/ and end with a slash; all are "
            "listed at /api/docs/."
        ),
    ),
    ProblemCode(
        "method-not-allowed", 405, _("Method not allowed"),
        _("The address exists, but doesn’t take this method; the header Allow lists those that it takes."),
    ),
    ProblemCode(
        "request-timeout", 408, _("The request came too slowly"),
        _(
            "The body didn’t arrive whole within a minute. Nothing was changed. Send it again, a large one in smaller "
            "parts."
        ),
    ),
    ProblemCode(
        "conflict", 409, _("Conflict"),
        _("The request conflicts with the present state; nothing was changed. `detail` says with what."),
    ),
    ProblemCode(
        "result-differs", 409, _("Another result has this id"),
        _(
            "A result with this id is recorded already, and it isn’t the same: `detail` names a field that differs. "
            "Nothing was changed. Choose ids that don’t repeat; if the recorded result is wrong, a moderator corrects "
            "it."
        ),
    ),
    ProblemCode(
        "lobby-has-result", 409, _("The lobby has a result"),
        _(
            "A lobby is one match, and its result is recorded already, under another id; `detail` names it. Nothing "
            "was changed. If the recorded result is wrong, a moderator corrects it."
        ),
    ),
    ProblemCode(
        "not-withdrawable", 409, _("The result can’t be withdrawn"),
        _(
            "A mode lets a sender withdraw its own results for a while, or not at all, and never those about which a "
            "moderator has decided; `detail` says which. Nothing was changed. A moderator can void or correct the "
            "match."
        ),
    ),
    ProblemCode(
        "request-in-flight", 409, _("The same request is being answered"),
        _(
            "A request with this Idempotency-Key is being answered at the moment. Nothing was done twice. Send it "
            "again after as many seconds as the header Retry-After says; you get its answer then."
        ),
    ),
    ProblemCode(
        "idempotency-key-reused", 422, _("The Idempotency-Key was used before"),
        _(
            "Another request was sent with this Idempotency-Key within a day. Nothing was done. Choose a new key for "
            "each act, and send the same request again with the same key only."
        ),
    ),
    ProblemCode(
        "bad-idempotency-key", 400, _("Bad Idempotency-Key"),
        _("The header Idempotency-Key has 1 to 255 printable ASCII characters; a UUID is a good one."),
    ),
    ProblemCode(
        "too-large", 413, _("The request is too large"),
        _("The body has too many bytes or values; `detail` says how many fit. Send less at once."),
    ),
    ProblemCode(
        "address-too-long", 414, _("The address is too long"),
        _("Path and query together have at most 8,000 bytes. Ask for less at once."),
    ),
    ProblemCode(
        "unsupported-media-type", 415, _("Not application/json"),
        _("Send the body as JSON, not compressed, with the header `Content-Type: application/json`."),
    ),
    ProblemCode(
        "too-many-requests", 429, _("Too many requests"),
        _(
            "The caller is over its limit of requests a minute. Wait as many seconds as the header Retry-After "
            "says, then send it again. The headers RateLimit-Remaining and RateLimit-Reset tell in time."
        ),
    ),
    ProblemCode(
        "too-many-failures", 429, _("Too many failed attempts"),
        _(
            "This address has sent too many wrong keys or passwords. Wait as many seconds as the header Retry-"
            "After says, and mend the key before you go on."
        ),
    ),
    ProblemCode(
        "too-many-reports", 429, _("Too many reports"),
        _("A player can report a few players a day. Wait as many seconds as the header Retry-After says."),
    ),
    ProblemCode(
        "internal-error", 500, _("Internal error"),
        _(
            "Something went wrong here, and was noted. Send it again later, a write with the same Idempotency-Key, "
            "so that it is done once; if it fails again, tell the operators when it was."
        ),
    ),
    ProblemCode(
        "database-unavailable", 503, _("The database can’t answer"),
        _(
            "The database can’t be reached or can’t write at the moment; nothing is half written. Send the request "
            "again after as many seconds as the header Retry-After says, a write with the same Idempotency-Key, so "
            "that it is done once."
        ),
    ),
    ProblemCode(
        "too-many-slow-requests", 503, _("Too many slow requests"),
        _(
            "Too many large bodies are arriving at the moment, so there was no room for this one. Nothing was "
            "changed. Send it again after as many seconds as the header Retry-After says."
        ),
    ),
)  # fmt: skip
