"""Signed license files: a compact JWS in armour, signed with Ed25519.

The verifier trusts only the keys of the app, and nothing that the file itself contains.
"""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from . import _json
from ._signature import verify_signature
from .errors import BadLicenseFile

# Room for 50 features with texts of 200 characters.
_MAX_TEXT = 65_536
_BEGIN = "-----BEGIN LATCHKEY LICENSE-----"
_END = "-----END LATCHKEY LICENSE-----"
_PURPOSES = ("grace", "offline", "borrow")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class PublicKey:
    """A key that signs license files: `x` is the public part as in a JWK, base64url."""

    kid: str
    x: str


@dataclass(frozen=True)
class LicenseFile:
    """The content of a genuine license file. Times are seconds since 1970.

    `expires` is the end of the file, None for no end. The app asks for a newer file from `renew_after` on. `purpose` is
    `grace` for a file that the app fetched, and `offline` or `borrow` for one that an operator made. `claims` has every
    field of the file by its name in docs/apps/license-files.md.
    """

    issued: int
    renew_after: int
    expires: int | None
    purpose: str
    key_hint: str
    product_id: str
    variant: str
    license_type: str
    license_expires: int | None
    claims: Mapping[str, Any] = field(repr=False)


def read_license_file(
    text: str,
    *,
    public_keys: Sequence[PublicKey],
    issuer: str,
    product_id: str,
    fingerprint: str | None,
    now: float | None = None,
) -> LicenseFile:
    """Verifies a license file without a client, for tools and servers. Raises `BadLicenseFile`.

    Compile the keys and the issuer (`urn:latchkey:...`) into the app. A `fingerprint` of None accepts files for any
    machine. `now` is in seconds since 1970, the clock of the machine by default.
    """
    at = int((time.time() if now is None else now) * 1000)
    return verify_license_file(text, public_keys, issuer, product_id, fingerprint, at)


def verify_license_file(
    text: str,
    public_keys: Sequence[PublicKey],
    issuer: str,
    product_id: str,
    fingerprint: str | None,
    now: int | None,
) -> LicenseFile:
    """The content of a license file. `now` is in milliseconds since 1970; None accepts expired files, too."""
    claims = verify_jws(_without_armour(text), "latchkey-license+jwt", public_keys)
    file = _file_of(claims)
    if claims["iss"] != issuer:
        _fail("issuer", "the file comes from another service")
    if product_id not in claims["products"]:
        _fail("product", "the file is for another product")
    if claims["fp"] is not None and fingerprint is not None and claims["fp"] != fingerprint_hash(fingerprint):
        _fail("machine", "the file is for another machine")
    if now is not None and file.expires is not None and file.expires * 1000 <= now:
        _fail("expired", "the file has expired")
    return file


def _fail(reason: str, message: str) -> NoReturn:
    raise BadLicenseFile(reason, message)


def _without_armour(text: str) -> str:
    """The compact JWS inside the armour; a JWS without armour is accepted, too."""
    if len(text) > _MAX_TEXT:
        _fail("format", "the file is too large")
    text = text[1:] if text.startswith("\ufeff") else text
    text = text.strip()
    if text.startswith(_BEGIN) and text.endswith(_END):
        text = text[len(_BEGIN) : -len(_END)]
    return "".join(text.split())


def verify_jws(jws: str, kind: str, public_keys: Sequence[PublicKey]) -> dict[str, Any]:
    """Verifies a compact JWS with the key that its header names, and returns its payload. Raises `BadLicenseFile`."""
    parts = jws.split(".")
    if len(parts) != 3:
        _fail("format", "this is not a license file")
    head, body, encoded = parts
    header, payload, signature = _object_in(head), _object_in(body), decode_base64url(encoded)
    if header is None or payload is None or signature is None:
        _fail("format", "this is not a license file")
    # RFC 9864 renames the algorithm. Both names mean the same here, because all keys are Ed25519.
    if header.get("alg") not in ("EdDSA", "Ed25519"):
        _fail("algorithm", "the file is signed in an unknown way")
    if header.get("typ") != kind:
        _fail("type", "this is a file of another kind")
    key = next((each for each in public_keys if each.kid == header.get("kid")), None)
    if key is None:
        _fail("key", "the file is signed with a key that this app does not know")
    x = decode_base64url(key.x)
    if x is None or not verify_signature(x, f"{head}.{body}".encode(), signature):
        _fail("signature", "the file was changed, or is not genuine")
    return payload


def _file_of(claims: dict[str, Any]) -> LicenseFile:
    def is_whole_or_none(name: str) -> bool:
        return name in claims and (claims[name] is None or _json.whole(claims[name]) is not None)

    texts = ("iss", "jti", "lic", "keyHint", "productId", "variant", "licenseType")
    products, fp = claims.get("products"), claims.get("fp", 0)
    is_sound = (
        _json.whole(claims.get("v")) == 1
        and all(isinstance(claims.get(name), str) for name in texts)
        and all(_json.whole(claims.get(name)) is not None for name in ("iat", "renewAfter"))
        and all(map(is_whole_or_none, ("exp", "licenseExpiresAt")))
        and (fp is None or isinstance(fp, str))
        and claims.get("purpose") in _PURPOSES
        and isinstance(products, list)
        and all(isinstance(product, str) for product in products)
    )
    if not is_sound:
        _fail("claims", "the file is of a later version than this app understands")
    return LicenseFile(
        issued=int(claims["iat"]),
        renew_after=int(claims["renewAfter"]),
        expires=_json.whole(claims["exp"]),
        purpose=claims["purpose"],
        key_hint=claims["keyHint"],
        product_id=claims["productId"],
        variant=claims["variant"],
        license_type=claims["licenseType"],
        license_expires=_json.whole(claims["licenseExpiresAt"]),
        claims=claims,
    )


def fingerprint_hash(fingerprint: str) -> str:
    """The hash by which a license file names a machine."""
    return encode_base64url(hashlib.sha256(f"latchkey-fp:{fingerprint}".encode("utf-8", "replace")).digest())


def _object_in(part: str) -> dict[str, Any] | None:
    data = decode_base64url(part)
    try:
        return None if data is None else _json.parse_object(data.decode())
    except UnicodeDecodeError:
        return None


def decode_base64url(text: str) -> bytes | None:
    """The bytes of base64url; None unless the text is their only spelling, without stray bits."""
    if _BASE64URL.fullmatch(text) is None or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if encode_base64url(data) == text else None


def encode_base64url(data: bytes) -> str:
    """The base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
