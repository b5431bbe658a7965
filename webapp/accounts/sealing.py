"""Secrets in the database: encrypted with a key made of SECRET_KEY and their purpose where they have to be read again, else hashed."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


def seal(text: str, purpose: str) -> str:
    """Encrypt for the database: 4/3 of the text and about 100 characters."""
    return _fernet(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, purpose: str) -> str:
    """Decrypt; empty if SECRET_KEY has changed or the text was sealed for another purpose."""
    try:
        return _fernet(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return ""


def token_hash(token: str) -> str:
    """SHA-256 for the database, which never contains the token itself."""
    return hashlib.sha256(token.encode()).hexdigest()


def _fernet(purpose: str) -> Fernet:
    digest = hashlib.sha256(f"{purpose} {settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
