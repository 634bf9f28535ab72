"""Keeps the state in the storage. If that fails, keeps it in memory: a full disk must not stop a customer."""

from __future__ import annotations

import contextlib
import logging
from typing import Callable

from ._stored import EMPTY, StoredState, read_state, write_state
from .storage import Storage

_log = logging.getLogger("latchkey")


class StateKeeper:
    """The stored state, which other processes change, too."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        # The last state known to this process; None before the first reading.
        self._known: StoredState | None = None
        # The text that was read or written last.
        self._text: str | None = None
        # The unreadable text that was set aside.
        self._broken: str | None = None
        # Whether the last write failed, so that the known state is newer than the stored one.
        self._is_ahead = False
        self.problem: str | None = None
        """Why the state cannot be read or written; None if it can."""
        self.is_unread = False
        """Whether every reading has failed so far, as with a locked keychain."""

    def read(self) -> StoredState:
        """The present state."""
        if self._is_ahead and self._known is not None:
            return self._known
        try:
            text = self._storage.read()
        except Exception as error:
            self._failed("read", error)
            self.is_unread = self._known is None
            return self._known or EMPTY
        self.problem, self.is_unread, self._text = None, False, text
        state = EMPTY if text is None else read_state(text)
        if state is None:
            self.problem = "the stored state cannot be read"
            self._set_aside(text or "")
        self._known = state or self._known or EMPTY
        return self._known

    def _set_aside(self, text: str) -> None:
        if text == self._broken:
            return
        self._broken = text
        _log.warning("latchkey: %s", self.problem)
        with contextlib.suppress(Exception):
            self._storage.set_aside(text)

    def is_changed(self) -> bool:
        """Whether the stored text is neither the one that was read last nor the one that was written last."""
        try:
            return self._storage.read() != self._text
        except Exception:
            return True

    def written_at(self) -> int | None:
        with contextlib.suppress(Exception):
            return self._storage.written_at()
        return None

    def update(self, next_state: Callable[[StoredState], StoredState | None]) -> StoredState:
        """Makes the next state of the present one, or leaves it for None. Returns the present state after that."""

        def change() -> StoredState:
            present = self.read()
            state = next_state(present)
            if state is None:
                return present
            self._known = state
            text = None if state == EMPTY else write_state(state)
            if text is None:
                self._storage.remove()
            else:
                self._storage.write(text)
            self._text, self.problem, self._is_ahead = text, None, False
            return state

        try:
            return self._storage.exclusively(change)
        except Exception as error:
            self._is_ahead = True
            self._failed("write", error)
            return self._known or EMPTY

    def _failed(self, what: str, error: Exception) -> None:
        is_new = self.problem is None
        self.problem = f"cannot {what} the state: {error}"
        if is_new:
            _log.warning("latchkey: %s", self.problem)
