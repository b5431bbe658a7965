"""The key pair that signs evidence: Ed25519, made at first need, the private half readable by its owner alone."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings

from webapp.environment import write_once


class UnusableKey(Exception):
    """What is wrong with the key file and what to do."""


def private_key() -> Ed25519PrivateKey:
    """The installation's signing key; created at first use."""
    path = Path(settings.EVIDENCE_KEY_FILE or Path(settings.DATA_DIR) / "evidence-key.pem")
    if not path.exists():
        made = Ed25519PrivateKey.generate()
        write_once(path, made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise UnusableKey(
            f"The key file {path.name} is not a readable private key. Restore the file, or move it away. Journalscope then makes a new key."
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UnusableKey(
            f"The key in {path.name} is not an Ed25519 key. Move it away. Journalscope then makes a new key."
        )
    return key


def public_pem(key: Ed25519PublicKey) -> bytes:
    """As it stands in a bundle and on the page of the key."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def fingerprint(key: Ed25519PublicKey) -> str:
    """SHA-256 of the raw public key, in groups that people can compare."""
    digest = sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()
    return " ".join(digest[start : start + 8] for start in range(0, len(digest), 8))
