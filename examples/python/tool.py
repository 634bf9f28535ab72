#!/usr/bin/env python3
"""A program that starts often and runs briefly.

The stored state decides at once, and a check takes place in the meantime.
"""

from __future__ import annotations

import json
import os
import sys

from latchkey import Latchkey, LatchkeyError, Options, PublicKey, Refused, State, Unreachable

HELP = """tool.py license KEY   license this machine
tool.py work          do the work
tool.py status        show the license
tool.py move          free this machine, to use the license on another one"""

REFUSED = {
    "license_not_found": "This license key is unknown. Please check it for typing mistakes.",
    "wrong_product": "This key is for another product.",
    "license_expired": "Your license has expired. Please renew it; your key stays the same.",
    "license_replaced": "Your license has a new key. Please enter it; you find it in an e-mail.",
    "license_revoked": "This license has been revoked. Please write to support.",
    "machine_limit": "Your license is in use on as many machines as it allows.",
    "activation_rate": "Too many attempts. Please try again later.",
}


def options() -> Options:
    """Constants in an app of your own. Here they come from the environment, so that this runs against any service."""
    # What `npm run latchkey -- list-signing-keys --for-app` prints.
    trust = json.loads(os.environ.get("LATCHKEY_KEYS", "{}"))
    return Options(
        server=os.environ.get("LATCHKEY_SERVER", "https://localhost:8443"),
        product_id="app",
        issuer=trust.get("issuer"),
        public_keys=[PublicKey(**key) for key in trust.get("publicKeys", [])],
        # Only for a service whose certificate no known authority has signed.
        ca_file=os.environ.get("LATCHKEY_CA"),
        # Where the state is kept; without it a folder of the user's.
        directory=os.environ.get("LATCHKEY_STATE"),
    )


def sentence_for(state: State) -> str | None:
    """What the user has to know about the license; None for nothing."""
    if state.status == "licensed":
        return None
    if state.status == "grace":
        return f"The license server cannot be reached. You can keep working until {state.until:%d %B %Y}."
    if state.status == "refused":
        return REFUSED.get(state.why or "", "Your license cannot be used. Please write to support.")
    return {
        "unlicensed": "Please enter your license key.",
        "lapsed": "Your license could not be checked for a long time. Please connect to the internet once.",
        "waiting": "All seats are in use. You will get the next free one.",
        "released": "Your license was moved to another machine.",
    }[state.status]


def run(app: Latchkey, command: str, key: str | None) -> int:
    if command == "license":
        facts = app.activate(key).facts
        print(f"Licensed, key ending in {facts.license_key_hint if facts else ''}.")
    elif command == "work":
        sentence = sentence_for(app.state)
        if sentence is not None:
            print(sentence, file=sys.stderr)
        if not app.may_run:
            return 1
        print("The work is done.")
    elif command == "status":
        state = app.check()
        facts = state.facts
        print(f"{state.status}, {facts.variant}, key ending in {facts.license_key_hint}" if facts else state.status)
    elif command == "move":
        app.deactivate()
        print("This machine is free.")
    else:
        print(HELP)
        return 2
    return 0


def main(command: str = "", key: str | None = None) -> int:
    with Latchkey(options()) as app:
        try:
            return run(app, command, key)
        except Refused as refused:
            print(REFUSED.get(refused.code, "Your license cannot be used. Please write to support."), file=sys.stderr)
        except Unreachable:
            print("The license server cannot be reached. Please try again later.", file=sys.stderr)
        except LatchkeyError as error:
            print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
