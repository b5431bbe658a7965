"""A security key in software: what a browser sends for it, by the WebAuthn specification, and with what a test changes."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2 import cbor
from fido2.utils import websafe_encode

USER_PRESENT, HAS_CREDENTIAL = 0x01, 0x40


class SecurityKey:
    """One credential on the curve P-256."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(16)

    def create(self, options: dict[str, Any], origin: str, **changed: Any) -> dict[str, Any]:
        """Answer to `navigator.credentials.create`; `changed` goes over what the browser says of the request."""
        asked = options["publicKey"]
        numbers = self.private.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        credential = bytes(16) + len(self.id).to_bytes(2) + self.id + cbor.encode(cose)
        data = _data(asked["rp"]["id"], USER_PRESENT | HAS_CREDENTIAL) + credential
        attested = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        client = _client("webauthn.create", asked["challenge"], origin, changed)
        response = {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(attested)}
        return self._credential(response) | {"clientExtensionResults": {"credProps": {"rk": False}}}

    def get(self, options: dict[str, Any], origin: str, **changed: Any) -> dict[str, Any]:
        """Answer to `navigator.credentials.get`."""
        asked = options["publicKey"]
        data = _data(asked["rpId"], USER_PRESENT)
        client = _client("webauthn.get", asked["challenge"], origin, changed)
        signature = self.private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        parts = {"clientDataJSON": client, "authenticatorData": data, "signature": signature}
        return self._credential({name: websafe_encode(part) for name, part in parts.items()})

    def _credential(self, response: dict[str, Any]) -> dict[str, Any]:
        text = websafe_encode(self.id)
        return {
            "type": "public-key",
            "id": text,
            "rawId": text,
            "response": response,
            "clientExtensionResults": {},
        }


def _data(host: str, flags: int) -> bytes:
    return hashlib.sha256(host.encode()).digest() + bytes([flags]) + bytes(4)


def _client(kind: str, challenge: str, origin: str, changed: dict[str, Any]) -> bytes:
    said = {"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}
    return json.dumps(said | changed).encode()
