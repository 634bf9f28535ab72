"""The stored state: what is written is read, and nothing else crashes the reader."""

from __future__ import annotations

import json
import random
import unittest
from dataclasses import replace
from typing import Any

import vectors  # noqa: F401  the path of the package

from latchkey._clock import KnownTimes, Moment
from latchkey._stored import EMPTY, MAX_TEXT, NO_FACTS, Seat, StoredUse, Tombstone, read_state, write_state

WHOLE = replace(
    EMPTY,
    license_key="AAAAA-BBBBB",
    token="t",
    facts={**NO_FACTS, "features": {"export": True, "seats": 3}, "licenseExpiresAt": "2027-01-01T00:00:00.000Z"},
    file="f",
    key_lists=("l",),
    last_good_at=1,
    tombstone=Tombstone("license_revoked", 2),
    seat=Seat(3, 4),
    activated_at=5,
    times=KnownTimes(Moment(6, 7), Moment(8, 9), Moment(10, 11)),
    uses=(StoredUse("exports", 1, "id", 12),),
)


class StoredStates(unittest.TestCase):
    def test_a_written_state_is_read(self) -> None:
        for state in (EMPTY, WHOLE):
            self.assertEqual(read_state(write_state(state)), state)

    def test_later_fields_may_be_absent(self) -> None:
        fields = json.loads(write_state(WHOLE))
        for name in ("graceUntil", "updatesUntil", "maxVersion", "features"):
            del fields["facts"][name]
        del fields["uses"]
        state = read_state(json.dumps({**fields, "unknown": [1]}))
        self.assertIsNotNone(state)
        self.assertEqual(state.uses if state else None, ())

    def test_other_types_are_unreadable(self) -> None:
        fields = json.loads(write_state(WHOLE))
        changes: list[dict[str, Any]] = [
            {"v": 2},
            {"v": True},
            {"licenseKey": 1},
            {"facts": []},
            {"facts": {**fields["facts"], "maxMachines": True}},
            {"facts": {**fields["facts"], "licenseExpiresAt": "soon"}},
            {"facts": {**fields["facts"], "features": {"a": None}}},
            {"keyLists": "l"},
            {"lastGoodAt": 9e15},
            {"tombstone": {"code": "license_revoked"}},
            {"seat": {"until": "1", "beatAt": 2}},
            {"times": None},
            {"times": {"trusted": None, "confirmed": None}},
            {"uses": [None]},
            {"uses": [{**fields["uses"][0], "units": -1}]},
            {"uses": fields["uses"] * 501},
        ]
        for change in changes:
            with self.subTest(change=change):
                self.assertIsNone(read_state(json.dumps({**fields, **change})))
        for name in fields:
            if name != "uses":
                with self.subTest(absent=name):
                    self.assertIsNone(read_state(json.dumps({key: fields[key] for key in fields if key != name})))

    def test_no_text_crashes_the_reader(self) -> None:
        for text in ("", "null", "[]", "[" * 100_000, '{"v":NaN}', '{"v":1' + "0" * 5000 + "}", " " * (MAX_TEXT + 1)):
            self.assertIsNone(read_state(text))
        draw = random.Random(1)
        text = write_state(WHOLE)
        for _ in range(5000):
            start = draw.randrange(len(text))
            end = min(len(text), start + draw.randrange(1, 9))
            piece = "".join(draw.choice('{}[]",:0123456789ntfe-\\u\u00e9') for _ in range(draw.randrange(0, 9)))
            read_state(text[:start] + piece + text[end:])


if __name__ == "__main__":
    unittest.main()
