"""The client as apps use it, with its thread, its real clock and the real service, which page.ts starts.

The environment has the address of the service (LATCHKEY_SERVER) and keys of licenses for the product `my-app`.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import unittest
from dataclasses import replace
from pathlib import Path

import vectors  # noqa: F401  the path of the package

from latchkey import (
    AsyncLatchkey,
    Latchkey,
    MemoryStorage,
    NoLicenseKey,
    Options,
    Refused,
    Reply,
    Request,
    State,
    Unreachable,
    urllib_transport,
)

SERVER = os.environ["LATCHKEY_SERVER"]
KEY = os.environ["LATCHKEY_KEY"]
OTHER_KEY = os.environ["LATCHKEY_OTHER_KEY"]
LONG_S = 20.0


class Live(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.changes: list[str] = []
        self.changed = threading.Event()

    def options(self, **more: object) -> Options:
        given = {"server": SERVER, "product_id": "my-app", "directory": self.folder, "fingerprint": self.id(), **more}
        return Options(**given)  # type: ignore[arg-type]

    def noticed(self, _: State, new: State) -> None:
        self.changes.append(f"{new.status} {new.source}")
        self.changed.set()

    def test_a_start_with_a_stored_license_returns_at_once_and_checks_in_the_background(self) -> None:
        with Latchkey(self.options()) as first:
            self.assertEqual(first.activate(KEY).source, "server")
        app = Latchkey(self.options(on_change=self.noticed))
        self.assertEqual(app.start().source, "stored")
        while "licensed server" not in self.changes:
            self.assertTrue(self.changed.wait(LONG_S))
            self.changed.clear()
        self.assertEqual(app.state.source, "server")
        self.assertGreater(app.next_check or 0, 3600)
        self.assertTrue(any(thread.name == "latchkey" for thread in threading.enumerate()))
        app.close()
        self.assertFalse(any(thread.name == "latchkey" for thread in threading.enumerate()))
        self.assertIsNone(app.next_check)
        with app:
            self.assertTrue(app.may_run)
            app.deactivate()

    def test_another_client_of_the_machine_is_noticed(self) -> None:
        with Latchkey(self.options(on_change=self.noticed)) as one, Latchkey(self.options()) as other:
            other.activate(KEY)
            self.assertTrue(self.changed.wait(LONG_S))
            self.assertTrue(one.may_run)
            one.deactivate()

    def test_threads_that_check_at_once_share_a_call(self) -> None:
        calls: list[str] = []
        usual = urllib_transport()

        def counted(request: Request) -> Reply:
            calls.append(request.url)
            return usual(request)

        with Latchkey(self.options()) as first:
            first.activate(KEY)
        with Latchkey(self.options(transport=counted)) as app:
            threads = [threading.Thread(target=app.check) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual([call.rsplit("/", 1)[1] for call in calls], ["validate"])
            app.deactivate()

    def test_a_new_key_does_not_replace_the_one_that_another_client_stored_meanwhile(self) -> None:
        usual = urllib_transport()

        def replaced(request: Request) -> Reply:
            reply = usual(request)
            if not request.url.endswith("/validate"):
                return reply
            other.activate(OTHER_KEY)
            fields = '{"licenseKey":"NEW-KEY","sessionToken":"new token",'
            return replace(reply, text=reply.text.replace("{", fields, 1))

        other = Latchkey(self.options())
        other.activate(KEY)
        app = Latchkey(self.options(transport=replaced))
        state = app.check()
        stored = (self.folder / "state").read_text()
        self.assertIn(OTHER_KEY, stored)
        self.assertNotIn("new token", stored)
        self.assertEqual(state.source, "stored")
        self.assertTrue(state.facts and OTHER_KEY.endswith(state.facts.license_key_hint))
        app.deactivate()

    def test_a_listener_may_call_the_client_and_fail(self) -> None:
        def listen(_: State, new: State) -> None:
            self.noticed(_, new)
            app.check()
            app.close()
            raise RuntimeError("a fault of the app")

        app = Latchkey(self.options(on_change=listen, storage=MemoryStorage()))
        app.start()
        with self.assertLogs("latchkey", "ERROR"):
            app.activate(KEY)
        self.assertEqual(self.changes, ["licensed server"])
        app.deactivate()

    def test_errors(self) -> None:
        with Latchkey(self.options()) as app:
            with self.assertRaises(NoLicenseKey):
                app.activate()
            with self.assertRaises(Refused) as refused:
                app.activate("A-KEY")
            self.assertEqual(refused.exception.code, "license_not_found")
            self.assertNotIn("A-KEY", str(refused.exception))
        with Latchkey(self.options(server="http://127.0.0.1:9")) as app, self.assertRaises(Unreachable) as unreachable:
            app.activate(KEY)
        self.assertEqual(unreachable.exception.problem.kind, "network")
        mistakes: tuple[dict[str, object], ...] = (
            {"server": "http://licenses.example.com"},
            {"server": []},
            {"product_id": ""},
        )
        for wrong in mistakes:
            with self.assertRaises(ValueError):
                Latchkey(self.options(**wrong))

    def test_asyncio(self) -> None:
        async def live() -> None:
            in_loop: list[threading.Thread] = []
            options = self.options(on_change=lambda *_: in_loop.append(threading.current_thread()))
            async with AsyncLatchkey(options) as app:
                self.assertEqual(app.state.status, "unlicensed")
                # The event loop goes on meanwhile.
                state, _ = await asyncio.gather(app.activate(KEY), asyncio.sleep(0))
                self.assertTrue(state.may_run and app.may_run)
                self.assertEqual((await app.check()).status, "licensed")
                self.assertIsNone(app.feature("export"))
                self.assertIn("LATCHKEY REQUEST", await app.export_request(KEY))
                await app.deactivate()
            self.assertEqual(set(in_loop), {threading.main_thread()})

        asyncio.run(live())


if __name__ == "__main__":
    unittest.main()
