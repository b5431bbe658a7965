"""SASL: who we are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.kafka.allowed import Networks
from workers.kafka.errors import NotSignedIn
from workers.kafka.security import Security

if TYPE_CHECKING:
    from workers.kafka.connection import Connection


def sign_in(connection: Connection, security: Security, networks: Networks) -> None:
    """Raises NotSignedIn."""
    raise NotSignedIn(f"{security.mechanism} is not here yet.", "Use PLAINTEXT or SSL.")
