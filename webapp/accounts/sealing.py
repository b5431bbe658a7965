"""Secrets that have to be read again are kept in the database encrypted, with a key made of SECRET_KEY and their purpose."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


def seal(text: str, purpose: str) -> str:
    """For the database: about 100 characters more than 4/3 of the text."""
    return _fernet(purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, purpose: str) -> str:
    """The text; nothing when SECRET_KEY is another one now, or it was sealed for another purpose."""
    try:
        return _fernet(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return ""


def _fernet(purpose: str) -> Fernet:
    digest = hashlib.sha256(f"{purpose} {settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
