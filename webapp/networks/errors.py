"""What can go wrong between here and another machine: each error has its cause and its cure, without any secret."""

from __future__ import annotations


class NetError(Exception):
    """`cause` says what failed and where, `cure` what to do."""

    def __init__(self, cause: str, cure: str) -> None:
        super().__init__(f"{cause} {cure}")
        self.cause, self.cure = cause, cure

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.cause, self.cure)


class Unreachable(NetError):
    """The name does not resolve, the port does not open, the connection broke, or no answer came in time."""


class NetworkBlocked(NetError):
    """The address is in a network that is not allowed."""


class SentInClear(NetError):
    """A secret would leave this machine unencrypted."""


class NotTrusted(NetError):
    """TLS failed: a certificate, a key, or the other side speaks no TLS."""
