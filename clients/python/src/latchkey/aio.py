"""The client for asyncio: the same methods, which do not block the event loop."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType

from .client import Latchkey
from .options import Options
from .state import Consumption, FeatureValue, RefusedUse, State


class AsyncLatchkey:
    """The license of an app on this machine, see `Latchkey`. Its listeners are called in the event loop of `start`."""

    def __init__(self, options: Options) -> None:
        """Creates a client, which does nothing yet. Raises `ValueError` for invalid options."""
        self._options = options
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client = Latchkey(replace(options, on_change=self._tell_change, on_use_refused=self._tell_refused))

    def _tell_change(self, old: State, new: State) -> None:
        if self._options.on_change is not None:
            self._call_soon(functools.partial(self._options.on_change, old, new))

    def _tell_refused(self, use: RefusedUse) -> None:
        if self._options.on_use_refused is not None:
            self._call_soon(functools.partial(self._options.on_use_refused, use))

    def _call_soon(self, tell: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(tell)

    @property
    def state(self) -> State:
        return self._client.state

    @property
    def may_run(self) -> bool:
        return self._client.may_run

    def feature(self, name: str) -> FeatureValue | None:
        return self._client.feature(name)

    async def start(self) -> State:
        self._loop = asyncio.get_running_loop()
        return await asyncio.to_thread(self._client.start)

    async def activate(self, license_key: str | None = None) -> State:
        return await asyncio.to_thread(self._client.activate, license_key)

    async def start_trial(self, variant: str | None = None, email: str | None = None) -> State:
        return await asyncio.to_thread(self._client.start_trial, variant, email)

    async def consume(self, meter: str, units: int = 1, *, request_id: str | None = None) -> Consumption:
        return await asyncio.to_thread(self._client.consume, meter, units, request_id=request_id)

    async def check(self) -> State:
        return await asyncio.to_thread(self._client.check)

    async def import_file(self, text: str) -> State:
        return await asyncio.to_thread(self._client.import_file, text)

    async def export_request(self, license_key: str) -> str:
        return await asyncio.to_thread(self._client.export_request, license_key)

    async def deactivate(self) -> None:
        await asyncio.to_thread(self._client.deactivate)

    async def close(self) -> None:
        await asyncio.to_thread(self._client.close)

    async def __aenter__(self) -> AsyncLatchkey:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
