"""Secrets in the database: encrypted with a key made of SECRET_KEY and their purpose where they have to be read again, else hashed."""

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


def token_hash(token: str) -> str:
    """For the database: the token itself stands nowhere but in its link, or with the program that uses it."""
    return hashlib.sha256(token.encode()).hexdigest()


def _fernet(purpose: str) -> Fernet:
    digest = hashlib.sha256(f"{purpose} {settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
