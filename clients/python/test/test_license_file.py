"""License files, against the vectors of docs/apps/license-files.md, and against random changes of good ones."""

from __future__ import annotations

import random
import unittest
from typing import Any
from unittest import mock

from vectors import read_vectors

from latchkey import BadLicenseFile, LicenseFile, PublicKey, _ed25519, read_license_file
from latchkey import license_file as module

VECTORS = read_vectors("docs/vectors/license-files.json")


def read(vector: dict[str, Any]) -> LicenseFile:
    expected = {**VECTORS["expected"], **vector.get("expected", {})}
    return read_license_file(
        vector["file"],
        public_keys=[PublicKey(**key) for key in expected["publicKeys"]],
        issuer=expected["issuer"],
        product_id=expected["productId"],
        fingerprint=expected["fingerprint"],
        now=expected["now"],
    )


class LicenseFiles(unittest.TestCase):
    def test_good_files_are_accepted(self) -> None:
        self.assertGreaterEqual(len(VECTORS["accepted"]), 10)
        for vector in VECTORS["accepted"]:
            with self.subTest(vector["name"]):
                self.assertEqual(read(vector).claims, vector["claims"])

    def test_other_files_are_refused(self) -> None:
        self.assertGreaterEqual(len(VECTORS["refused"]), 30)
        for vector in VECTORS["refused"]:
            with self.subTest(vector["name"]), self.assertRaises(BadLicenseFile):
                read(vector)

    def test_own_verification_judges_alike(self) -> None:
        with mock.patch.object(module, "verify_signature", _ed25519.verify):
            self.test_good_files_are_accepted()
            self.test_other_files_are_refused()

    def test_no_change_of_a_file_passes_or_crashes(self) -> None:
        draw = random.Random(8032)
        armoured = VECTORS["accepted"][0]["file"]
        jws = "".join(line for line in armoured.split("\n") if not line.startswith("-----"))
        for _ in range(3000):
            at = draw.randrange(len(jws))
            letter = draw.choice(["", "A", "_", ".", "\u00e9", "\ud800", jws[at] + jws[at], "\x00"])
            changed = jws[:at] + letter + jws[at + 1 :]
            if changed != jws:
                with self.assertRaises(BadLicenseFile):
                    read({"file": changed})


if __name__ == "__main__":
    unittest.main()
