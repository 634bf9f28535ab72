"""Sends one call to the service, trying all its addresses, and classifies the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Union

from . import _json
from ._refusals import Refusal, flag_of, refusal_in, retry_after_of
from ._times import read_http_date, read_iso
from .state import Problem
from .transport import Reply, Request, Transport, TransportFailure


@dataclass(frozen=True)
class Good:
    """The service accepted the call. `server_time` is the time in its answer, in milliseconds since 1970."""

    reply: dict[str, Any]
    server_time: int | None


@dataclass(frozen=True)
class NotGood:
    """The service refused the call."""

    refusal: Refusal
    server_time: int | None

    @property
    def is_of_replaced_key(self) -> bool:
        """Whether another key has taken the place of the one that was sent."""
        return self.refusal.code == "license_replaced"


@dataclass(frozen=True)
class Missed:
    """There was no answer of the service. `retry_after` is the pause that it asks for, in milliseconds."""

    problem: Problem
    retry_after: int | None = None


Called = Union[Good, NotGood, Missed]


Check = Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_count(value: object) -> bool:
    return _json.whole(value) is not None


def _is_time(value: object) -> bool:
    return read_iso(value) is not None


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


_ABSENT = object()


def _or_absent(check: Check) -> Check:
    return lambda value: value is _ABSENT or check(value)


_ACTIVATION: Mapping[str, Check] = {
    "token": _is_text,
    "expiresAt": _is_time,
    "machinesUsed": _is_count,
    "maxMachines": _is_count,
    "variant": _is_text,
    "licenseExpiresAt": _or_none(_is_time),
}
# The fields that a good answer has.
_FIELDS: Mapping[str, Mapping[str, Check]] = {
    "/activate": _ACTIVATION,
    "/startTrial": {**_ACTIVATION, "licenseKey": _is_text},
    "/validate": {
        "expiresAt": _is_time,
        "productId": _is_text,
        "variant": _is_text,
        "licenseExpiresAt": _or_none(_is_time),
        "daysRemaining": _or_none(_is_count),
        "newToken": _or_absent(_is_text),
        "licenseKey": _or_absent(_is_text),
        "sessionToken": _or_absent(_is_text),
    },
    "/heartbeat": {"expiresAt": _is_time},
    "/consume": {
        "meter": _is_text,
        "used": _is_count,
        "limit": _is_count,
        "remaining": _or_none(_is_count),
        "resetsAt": _or_none(_is_time),
    },
    "/deactivate": {"machinesUsed": _is_count, "maxMachines": _is_count},
    "/verify": {"machinesUsed": _is_count, "maxMachines": _is_count},
    "/issueLicenseFile": {"licenseFile": _is_text},
}
# Later additions to all endpoints, which another server with the same protocol may omit.
_LATER: Mapping[str, Check] = {"licenseType": _or_absent(_is_text), "sessionExpiresAt": _or_absent(_is_time)}


def _is_good(endpoint: str, reply: Reply, body: dict[str, Any] | None) -> bool:
    """Whether an answer has the form of the endpoint's. Any other did not come from the service."""
    if reply.status != 200 or body is None or body.get(flag_of(endpoint)) is not True:
        return False
    return all(check(body.get(name, _ABSENT)) for name, check in {**_FIELDS[endpoint], **_LATER}.items())


class Line:
    """The addresses of the service, and the transport for calls. `timeout` is in seconds."""

    def __init__(self, servers: Sequence[str], transport: Transport, timeout: float) -> None:
        self._servers = servers
        self._transport = transport
        self._timeout = timeout

    def call(self, endpoint: str, fields: Mapping[str, str | int]) -> Called:
        """Calls an endpoint. If an address does not answer as the service does, tries the next one."""

        def read(reply: Reply) -> Called | None:
            body = _json.parse_object(reply.text)
            server_time = read_http_date(reply.headers.get("date"))
            if body is not None and _is_good(endpoint, reply, body):
                return Good(body, server_time)
            refusal = refusal_in(endpoint, reply, body)
            return None if refusal is None else NotGood(refusal, server_time)

        return self._over_servers(endpoint, _json.write(fields), read)

    def key_lists(self) -> list[str]:
        """The signed lists of signing keys that the service publishes; empty if there are none."""

        def read(reply: Reply) -> Called | None:
            body = _json.parse_object(reply.text) if reply.status == 200 else None
            return None if body is None or not isinstance(body.get("keys"), list) else Good(body, None)

        called = self._over_servers("/.well-known/latchkey-keys.json", None, read)
        return [each for each in called.reply["keys"] if isinstance(each, str)] if isinstance(called, Good) else []

    def _over_servers(self, path: str, body: str | None, read: Callable[[Reply], Called | None]) -> Called:
        first: Missed | None = None
        for server in self._servers:
            try:
                reply = self._transport(Request(server + path, body, self._timeout))
            except Exception as error:
                missed = Missed(_problem_of(error, server))
            else:
                called = read(reply)
                if called is not None:
                    return called
                detail = f"{server} answered {reply.status}, which says nothing about the license"
                is_busy = reply.status in (429, 503)
                missed = Missed(Problem("busy" if is_busy else "answer", detail), retry_after_of(reply))
            first = first or missed
        return first or Missed(Problem("network", "there is no address"))


def _problem_of(error: Exception, server: str) -> Problem:
    kind = error.kind if isinstance(error, TransportFailure) else "network"
    return Problem(kind, f"{server} could not be reached: {error}")
