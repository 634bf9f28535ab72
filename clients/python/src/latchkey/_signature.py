"""Verifies signatures with the package `cryptography` if it is installed, else with the code of this package."""

from __future__ import annotations

import functools
from typing import Callable

from . import _ed25519

Verify = Callable[[bytes, bytes, bytes], bool]


@functools.lru_cache(maxsize=1)
def _chosen() -> Verify:
    # Here and not above, because the import takes longer than the start of most apps.
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return _ed25519.verify

    def verify_with_library(public_key: bytes, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        except UnsupportedAlgorithm:
            return _ed25519.verify(public_key, message, signature)
        return True

    return verify_with_library


def verify_signature(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key made the signature of the message (Ed25519)."""
    return _chosen()(public_key, message, signature)
