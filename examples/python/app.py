"""A licensed program. `python3 app.py activate KEY`, `python3 app.py check`, `python3 app.py deactivate`."""

import hashlib
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

from licensing import Licensing

SENTENCES = {
    "unlicensed": "Please enter your license key.",
    "licensed": "Licensed.",
    "grace": "The license server cannot be reached. You can keep working.",
    "lapsed": "Your license could not be checked. Please connect to the internet once.",
    "released": "Your license is in use on as many machines as it allows.",
    "license_not_found": "This license key is unknown. Please check it for typing mistakes.",
    "wrong_product": "This key is for another product.",
    "license_expired": "Your license has expired. Please renew it; your key stays the same.",
    "license_revoked": "This license has been revoked. Please write to support.",
    "machine_limit": "Your license is in use on as many machines as it allows.",
    "activation_rate": "Too many attempts. Please try again later.",
    "no_answer": "The license server cannot be reached. Please try again later.",
}

# Commands that print the id which the operating system keeps of this machine.
MACHINE_ID = {
    "Linux": ["cat", "/etc/machine-id"],
    "Darwin": ["ioreg", "-rd1", "-c", "IOPlatformExpertDevice"],
    "Windows": ["reg", "query", r"HKLM\SOFTWARE\Microsoft\Cryptography", "/v", "MachineGuid"],
}
UUID = re.compile(r"[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}")


def machine_fingerprint(product_id):
    """Hashed with the product, so that it tells other vendors nothing."""
    printed = subprocess.run(MACHINE_ID[platform.system()], capture_output=True, text=True, check=True).stdout
    return hashlib.sha256(f"{product_id}:{UUID.search(printed)[0]}".encode()).hexdigest()


def main(command="", license_key=""):
    here = Path(__file__).parent
    settings = json.loads((here / "settings.json").read_text(encoding="utf-8"))
    fingerprint = machine_fingerprint(settings["productId"])
    licensing = Licensing(settings, fingerprint, platform.node(), here / "license.json")
    if command == "deactivate":
        is_free = licensing.deactivate()
        print("This machine is free." if is_free else "The license server cannot be reached.")
        return 0 if is_free else 1
    verdict = licensing.activate(license_key) if command == "activate" else licensing.check()
    print(SENTENCES.get(verdict.code or verdict.status, "Your license cannot be used. Please write to support."))
    return 0 if verdict.may_run else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
