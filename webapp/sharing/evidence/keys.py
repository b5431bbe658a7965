"""The key pair that signs evidence: Ed25519, made at first need, the private half readable by its owner alone."""

from __future__ import annotations

import os
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


class UnusableKey(Exception):
    """What is wrong with the key file and what to do."""


def private_key() -> Ed25519PrivateKey:
    """This installation's; made when there is none."""
    path = Path(settings.EVIDENCE_KEY_FILE or Path(settings.DATA_DIR) / "evidence-key.pem")
    if not path.exists():
        _make(path)
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


def _make(path: Path) -> None:
    """Written beside its place and linked there, so that of two processes both use the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    partial = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(made)
    try:
        os.link(partial, path)
    except FileExistsError:
        pass  # another process was first
    finally:
        partial.unlink()
