"""The transport with real connections to a server that lies."""

from __future__ import annotations

import os
import socket
import threading
import unittest
from collections.abc import Callable
from unittest import mock

import vectors  # noqa: F401  the path of the package

from latchkey import Request, TransportFailure, urllib_transport

Answer = Callable[[socket.socket, threading.Event], None]


class Liar:
    """A server that answers each connection with the given bytes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/x"
        self.asked: list[bytes] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Liar:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.asked.append(connection.recv(65_536))
                try:
                    self._answer(connection, self._ended)
                except OSError:
                    continue


def said(head: str, body: bytes = b"") -> Answer:
    return lambda connection, _: connection.sendall(f"HTTP/1.1 {head}\r\n\r\n".encode() + body)


def drip(connection: socket.socket, ended: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while not ended.wait(0.02):
        connection.sendall(b" ")


class Transports(unittest.TestCase):
    def ask(self, answer: Answer, timeout: float = 5) -> str:
        """The status and the text of the answer, or the kind of the failure."""
        with Liar(answer) as liar:
            try:
                reply = urllib_transport()(Request(liar.url, "{}", timeout))
            except TransportFailure as failure:
                return failure.kind
            return f"{reply.status} {reply.text}"

    def test_an_answer_of_any_status_is_returned(self) -> None:
        self.assertEqual(self.ask(said("200 OK\r\nContent-Length: 2", b"{}")), "200 {}")
        self.assertEqual(self.ask(said("403 Forbidden\r\nContent-Length: 2", b"{}")), "403 {}")

    def test_no_redirect_is_followed(self) -> None:
        with Liar(said("200 OK\r\nContent-Length: 2", b"{}")) as other:
            self.assertEqual(self.ask(said(f"302 Found\r\nLocation: {other.url}\r\nContent-Length: 1", b"x")), "302 x")
            self.assertEqual(other.asked, [])

    def test_half_an_answer_is_none(self) -> None:
        self.assertEqual(self.ask(said("200 OK\r\nContent-Length: 9", b"{}")), "network")
        self.assertEqual(self.ask(said("200 OK\r\nTransfer-Encoding: chunked", b"9\r\n{}")), "network")
        self.assertEqual(self.ask(lambda *_: None), "network")

    def test_an_answer_has_a_bound(self) -> None:
        body = b" " * 65_536
        self.assertEqual(self.ask(said("200 OK\r\nContent-Length: 65536", body)), f"200 {body.decode()}")
        self.assertEqual(self.ask(said("200 OK\r\nContent-Length: 65537", body + b" ")), "network")
        self.assertEqual(self.ask(said("200 OK", body * 40)), "network")

    def test_an_answer_byte_by_byte_ends_in_time(self) -> None:
        self.assertEqual(self.ask(drip, timeout=0.3), "timeout")
        self.assertEqual(self.ask(lambda _, ended: (ended.wait(), None)[1], timeout=0.3), "timeout")

    def test_nobody_listens(self) -> None:
        with self.assertRaises(TransportFailure) as caught:
            urllib_transport()(Request("http://127.0.0.1:9/x", None, 5))
        self.assertEqual(caught.exception.kind, "network")

    def test_proxies_of_the_system_are_asked_for_other_machines_alone(self) -> None:
        with Liar(said("407 Proxy Authentication Required\r\nContent-Length: 0")) as proxy:
            address = proxy.url.removesuffix("/x")
            environment = {"http_proxy": address, "https_proxy": address, "no_proxy": ""}
            with mock.patch.dict(os.environ, environment):
                self.assertEqual(self.ask(said("200 OK\r\nContent-Length: 2", b"{}")), "200 {}")
                self.assertEqual(proxy.asked, [])
                with self.assertRaises(TransportFailure):
                    urllib_transport()(Request("https://licenses.example.com/verify", "{}", 5))
                self.assertTrue(proxy.asked[0].startswith(b"CONNECT licenses.example.com:443 "), proxy.asked)


if __name__ == "__main__":
    unittest.main()
