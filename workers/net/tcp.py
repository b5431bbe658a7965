"""TCP to addresses that were checked."""

from __future__ import annotations

import socket

from webapp.networks.errors import Unreachable
from workers.net.address import written


def open_port(host: str, port: int, addresses: list[str], timeout_seconds: float) -> socket.socket:
    """A TCP connection to the first of the checked addresses that takes one. Raises Unreachable."""
    problem: OSError | None = None
    for address in addresses:
        try:
            connection = socket.create_connection((address, port), timeout_seconds)
        except OSError as wrong:
            problem = wrong
            continue
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection
    target = f"{written(host, port)} ({', '.join(addresses)})" if addresses != [host] else written(host, port)
    if isinstance(problem, ConnectionRefusedError):
        raise Unreachable(f"{target} refuses connections.", "Check the port, and that the broker is running.")
    if isinstance(problem, TimeoutError):
        raise Unreachable(
            f"{target} did not open within {timeout_seconds:g} s.",
            "Check the port and the firewalls on the way.",
        )
    why = getattr(problem, "strerror", None) or type(problem).__name__
    raise Unreachable(f"{target} cannot be reached: {why}.", "Check host, port and the network.")
