import base64
import hashlib
import json
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def bytes_in(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def object_in(part):
    try:
        value = json.loads(bytes_in(part))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read_license_file(text, issuer, public_keys, product_id, fingerprint, now):
    """The claims of a file that is good here and now (seconds since 1970); None for any other."""
    text = re.sub(r"-----(BEGIN|END) LATCHKEY LICENSE-----|\s", "", text)
    parts = text.split(".")
    if len(parts) != 3 or not all(re.fullmatch(r"[A-Za-z0-9_-]+", part) for part in parts):
        return None
    head, body, signature = parts
    header = object_in(head)
    if header is None or header.get("typ") != "latchkey-license+jwt":
        return None
    if header.get("alg") not in ("EdDSA", "Ed25519"):
        return None
    x = next((key["x"] for key in public_keys if key["kid"] == header.get("kid")), None)
    if x is None:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(bytes_in(x)).verify(bytes_in(signature), f"{head}.{body}".encode())
    except (InvalidSignature, ValueError):
        return None
    claims = object_in(body)
    if claims is None or claims.get("v") != 1 or claims.get("iss") != issuer:
        return None
    products = claims.get("products")
    if not isinstance(products, list) or product_id not in products:
        return None
    machine = hashlib.sha256(f"latchkey-fp:{fingerprint}".encode()).digest()
    machine = base64.urlsafe_b64encode(machine).decode().rstrip("=")
    if claims.get("fp", "") not in (None, machine):
        return None
    exp = claims.get("exp", 0)
    if exp is not None and not (type(exp) is int and exp > now):
        return None
    return claims
