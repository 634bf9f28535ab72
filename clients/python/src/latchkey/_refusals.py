"""Recognises refusals.

The header `Latchkey-Code` names a refusal, and then its text may be any. Without the header, as from another server
with the same protocol, the status and the text must be those of a refusal that the service gives at this endpoint. Any
other answer counts as an outage, and an outage stops nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._times import HOUR, MINUTE, SECOND, moment, read_iso
from .errors import Refused
from .transport import Reply


@dataclass(frozen=True)
class Refusal:
    """A refusal by the service: its code, its text, and the other fields of the answer.

    `limit` is the number in the text of `machine_limit` and `user_limit`. `retry_after` is the pause in milliseconds
    of refusals that end by waiting.
    """

    code: str
    text: str
    fields: Mapping[str, Any]
    limit: int | None
    retry_after: int | None


# The statuses and the text of each code; a text that matches nothing does not distinguish it from another program's.
_FORMS: Mapping[str, tuple[tuple[int, ...], str]] = {
    "license_not_found": ((404,), "License not found"),
    "license_replaced": ((403,), "License was replaced by another key"),
    "license_revoked": ((403,), "License has been revoked"),
    "license_expired": ((403,), "License has expired"),
    "wrong_product": ((403,), "License is for a different product"),
    "machine_limit": ((403,), r"Machine limit reached \((\d{1,9})\)\. Deactivate another machine first\."),
    "machine_not_activated": ((403, 404), "Machine not activated"),
    "activation_rate": ((429,), r"Too many activation attempts\. Try again later\."),
    "invalid_token": ((401,), "Invalid (?:or expired )?token"),
    "token_mismatch": ((401,), "Token mismatch"),
    "license_files_not_offered": ((403,), "License files are not offered for this license"),
    "update_not_covered": ((403,), "License does not cover this version"),
    "trial_not_offered": ((403,), "This product offers no trial"),
    "trial_over": ((403,), "Trial has ended"),
    "trial_rate": ((429,), r"Too many trials (?:from your network|of this product)\. Try again later\."),
    "product_not_found": ((404,), "Product not found"),
    "variant_not_found": ((404,), "Variant not found"),
    "product_archived": ((409,), "Product is archived"),
    "meter_limit": ((403,), "Usage limit reached"),
    "meter_not_found": ((404,), "Meter not found"),
    "request_id_reused": ((422,), "requestId was used for other units"),
    "user_required": ((400,), "User required"),
    "user_limit": ((403,), r"User limit reached \((\d{1,9})\)"),
    "missing_fields": ((400,), r"Missing [\w ,()]+"),
    "invalid_field": ((400,), "(?!)"),
}
_WAITING = ("activation_rate", "trial_rate")

_OF_LICENSES = ("license_not_found", "license_replaced", "license_revoked", "license_expired")
_OF_SESSIONS = (*_OF_LICENSES, "machine_not_activated", "invalid_token", "token_mismatch")
_OF_PRODUCTS = ("product_not_found", "variant_not_found", "product_archived")
_OF_USERS = ("user_required", "user_limit")
_OF_TRIALS = ("trial_not_offered", "trial_rate", "trial_over")
_OF_ENDPOINT: Mapping[str, tuple[str, ...]] = {
    "/activate": (*_OF_LICENSES, "wrong_product", "update_not_covered", "machine_limit", "activation_rate", *_OF_USERS),
    "/startTrial": (
        *(*_OF_PRODUCTS, *_OF_TRIALS),
        *("license_replaced", "license_revoked", "update_not_covered", "machine_limit", "activation_rate", *_OF_USERS),
    ),
    "/consume": (*_OF_SESSIONS, "meter_limit", "meter_not_found", "request_id_reused"),
    "/validate": (*_OF_SESSIONS, "update_not_covered"),
    "/heartbeat": _OF_SESSIONS,
    "/deactivate": _OF_SESSIONS,
    "/issueLicenseFile": (*_OF_SESSIONS, "license_files_not_offered"),
    "/verify": (*_OF_LICENSES, "wrong_product", "update_not_covered"),
}


def flag_of(endpoint: str) -> str:
    """The field by which an endpoint reports success."""
    return "valid" if endpoint in ("/validate", "/verify") else "success"


def refusal_in(endpoint: str, reply: Reply, body: dict[str, Any] | None) -> Refusal | None:
    """The refusal in an answer; None if it is not one that this client knows."""
    if body is None or body.get(flag_of(endpoint)) is not False or not 400 <= reply.status <= 499:
        return None
    error = body.get("error")
    text = error if isinstance(error, str) else ""
    code = _code_in(endpoint, reply, text)
    if code is None:
        return None
    limit = re.fullmatch(_FORMS[code][1], text, re.ASCII) if code in ("machine_limit", "user_limit") else None
    pause = retry_after_of(reply)
    return Refusal(
        code,
        text,
        body,
        limit=None if limit is None else int(limit[1]),
        retry_after=(MINUTE if pause is None else pause) if code in _WAITING else None,
    )


def error_of(refusal: Refusal) -> Refused:
    """The refusal as apps get it."""
    pause = None if refusal.retry_after is None else refusal.retry_after / SECOND
    resets = refusal.fields.get("resetsAt") if refusal.code == "meter_limit" else None
    return Refused(refusal.code, refusal.text, refusal.limit, pause, moment(read_iso(resets)))


def _code_in(endpoint: str, reply: Reply, text: str) -> str | None:
    named = reply.headers.get("latchkey-code")
    if named is not None:
        return named if named in _FORMS else None
    for code in (*_OF_ENDPOINT[endpoint], "missing_fields"):
        statuses, form = _FORMS[code]
        if reply.status in statuses and re.fullmatch(form, text, re.ASCII):
            return code
    return None


def retry_after_of(reply: Reply) -> int | None:
    """`Retry-After` in milliseconds, at most an hour, so that a broken answer cannot silence an app for good."""
    value = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+", value, re.ASCII) is None:
        return None
    return int(min(float(value) * SECOND, HOUR))
