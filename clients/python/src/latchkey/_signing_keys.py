"""Delivers new signing keys to apps that were built before them.

The service publishes lists of its keys, each signed by an older key, so that a compiled-in key leads to all later ones.
The client stores the signed lists, never bare keys, because a user could add keys by editing the state.
"""

from __future__ import annotations

from collections.abc import Sequence

from .errors import BadLicenseFile
from .license_file import PublicKey, verify_jws

_MAX_LISTS = 16


def follow_key_lists(
    compiled_in: Sequence[PublicKey], issuer: str, lists: Sequence[str], stolen: Sequence[str]
) -> tuple[list[PublicKey], list[str]]:
    """Every key that the signed lists lead to, the compiled-in ones first, and the lists that led to them.

    Lists that are not genuine, and the ids in `stolen`, are ignored.
    """
    keys, used = list(compiled_in), []
    left = list(lists[:_MAX_LISTS])
    has_moved = True
    while has_moved:
        examined, left, has_moved = left, [], False
        for text in examined:
            listed = _keys_in(text, keys, issuer)
            if listed is None:
                left.append(text)
                continue
            has_moved = True
            known = {*stolen, *(key.kid for key in keys)}
            fresh = [key for key in listed if key.kid not in known]
            keys.extend(fresh)
            if fresh:
                used.append(text)
    return keys, used


def _keys_in(text: str, known: Sequence[PublicKey], issuer: str) -> list[PublicKey] | None:
    """The keys of a list that a known key signed; None if it is not genuine, or not yet known to be."""
    try:
        payload = verify_jws(text, "latchkey-keys+jwt", known)
    except BadLicenseFile:
        return None
    listed = payload.get("keys")
    if payload.get("iss") != issuer or not isinstance(listed, list):
        return None
    pairs = [(key.get("kid"), key.get("x")) for key in listed if isinstance(key, dict)]
    return [PublicKey(kid, x) for kid, x in pairs if isinstance(kid, str) and isinstance(x, str)]
