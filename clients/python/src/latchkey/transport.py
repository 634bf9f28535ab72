"""Sends requests to the service. Any function of the type `Transport` can replace `urllib_transport`."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Literal
from urllib.parse import urlsplit

# The answers of the service are below 4 KiB, apart from license files.
MAX_ANSWER_BYTES = 65_536
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Request:
    """A request with its whole address; `body` is JSON, or None for a GET.

    The whole answer must have arrived within `timeout` seconds.
    """

    url: str
    body: str | None
    timeout: float


@dataclass(frozen=True)
class Reply:
    """An answer of any server. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str


class TransportFailure(Exception):
    """There was no complete answer: `kind` is `network`, `tls` or `timeout`."""

    def __init__(self, kind: Literal["network", "tls", "timeout"], message: str) -> None:
        super().__init__(message)
        self.kind = kind


Transport = Callable[[Request], Reply]
"""Sends a request, checks the certificate and follows no redirect.

Raises `TransportFailure`, or any other error, which counts as a failure of the network.
"""


def urllib_transport(ca_file: str | None = None) -> Transport:
    """A transport by `urllib`, through the proxies of the system.

    `ca_file` has the PEM of certificate authorities to trust beside those of the system. Raises `OSError` if it cannot
    be read.
    """
    context = ssl.create_default_context()
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    return lambda request: _Exchange(request, context).run()


class _Exchange:
    """One request, in a thread of its own: neither the look-up of a name nor a server that sends a byte a second can
    be ended otherwise."""

    def __init__(self, request: Request, context: ssl.SSLContext) -> None:
        self._request = request
        self._context = context
        self._has_ended = threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self._reply: Reply | None = None
        self._failure: TransportFailure | None = None

    def run(self) -> Reply:
        threading.Thread(target=self._send, name="latchkey request", daemon=True).start()
        if not self._has_ended.wait(self._request.timeout):
            self._cut()
            raise TransportFailure("timeout", f"no complete answer within {self._request.timeout} s")
        if self._reply is None:
            raise self._failure or TransportFailure("network", "no answer")
        return self._reply

    def _cut(self) -> None:
        """Ends the connection, so that the thread ends."""
        connected: Any = getattr(self._connection, "sock", None)
        if connected is not None:
            try:
                connected.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It has ended by itself.
                return

    def _send(self) -> None:
        try:
            self._reply = self._exchanged()
        except Exception as error:
            self._failure = _failure_of(error)
        finally:
            self._has_ended.set()

    def _exchanged(self) -> Reply:
        url, body = self._request.url, self._request.body
        headers = {"Accept": "application/json", "User-Agent": "latchkey-python"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        asked = urllib.request.Request(url, None if body is None else body.encode(), headers)
        with self._opener(urlsplit(url).hostname or "").open(asked, timeout=self._request.timeout) as response:
            data = response.read(MAX_ANSWER_BYTES + 1)
            if len(data) > MAX_ANSWER_BYTES:
                raise TransportFailure("network", f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
            if response.length:
                raise TransportFailure("network", "the answer broke off")
            named = {name.lower(): value for name, value in response.headers.items()}
            return Reply(response.status, named, data.decode("utf-8", "replace"))

    def _opener(self, host: str) -> urllib.request.OpenerDirector:
        """Without the handlers of `urllib` that follow redirects and raise for a status."""
        opener = urllib.request.OpenerDirector()
        # A proxy has another machine under these names.
        opener.add_handler(urllib.request.ProxyHandler({} if host in LOOPBACK else None))
        opener.add_handler(_Http(self._connect))
        opener.add_handler(_Https(self._connect_tls))
        return opener

    def _connect(self, host: str, **options: Any) -> http.client.HTTPConnection:
        self._connection = http.client.HTTPConnection(host, **options)
        return self._connection

    def _connect_tls(self, host: str, **options: Any) -> http.client.HTTPConnection:
        self._connection = http.client.HTTPSConnection(host, context=self._context, **options)
        return self._connection


Connect = Callable[..., http.client.HTTPConnection]


class _Http(urllib.request.HTTPHandler):
    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._connect = connect

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connect, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._connect = connect

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connect, req)


def _failure_of(error: Exception) -> TransportFailure:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TransportFailure):
        return cause
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        return TransportFailure("tls", str(cause))
    if isinstance(cause, socket.timeout):
        return TransportFailure("timeout", "no answer in time")
    return TransportFailure("network", str(cause) or type(cause).__name__)
