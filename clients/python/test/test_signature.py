"""Both verifications of the client, against the vectors that the clients of all languages share."""

from __future__ import annotations

import unittest
from importlib.util import find_spec

from vectors import read_vectors

from latchkey import _ed25519
from latchkey._signature import verify_signature

CASES = read_vectors("clients/conformance/vectors/ed25519.json")["cases"]


class Signatures(unittest.TestCase):
    def test_own_verification_judges_every_signature(self) -> None:
        self.assertGreaterEqual(len(CASES), 70)
        for case in CASES:
            with self.subTest(case["name"]):
                data = (bytes.fromhex(case[name]) for name in ("publicKey", "message", "signature"))
                self.assertEqual(_ed25519.verify(*data), case["result"] == "valid")

    @unittest.skipIf(find_spec("cryptography") is None, "needs the package cryptography")
    def test_library_judges_every_signature(self) -> None:
        for case in CASES:
            with self.subTest(case["name"]):
                data = (bytes.fromhex(case[name]) for name in ("publicKey", "message", "signature"))
                if case["result"] != "either":
                    self.assertEqual(verify_signature(*data), case["result"] == "valid")


if __name__ == "__main__":
    unittest.main()
