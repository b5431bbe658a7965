"""Whether the database is away (not reachable, starting, going down, locked), in contrast to what it refuses.

Source: PostgreSQL's error codes (appendix A; no code when a connection breaks) and SQLite's result codes.
"""

from __future__ import annotations

from django.db import InterfaceError, OperationalError, connection

AWAY_SQLSTATES = ("08", "53", "57P")  # connection, resources, operator intervention
AWAY_SQLITE = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_LOCKED")
CONNECTION = {
    "connect_timeout": 5,  # seconds
    # A server whose machine or network is gone is noticed within half a minute: seconds, seconds, count, milliseconds.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


def is_away(problem: BaseException | None) -> bool:
    """Whether the same query may succeed later."""
    if isinstance(problem, InterfaceError):
        return connection.vendor == "postgresql"  # psycopg: the connection is closed
    if not isinstance(problem, OperationalError):
        return False
    if connection.vendor == "sqlite":
        return str(getattr(problem.__cause__, "sqlite_errorname", "")).startswith(AWAY_SQLITE)
    code = getattr(problem.__cause__, "sqlstate", None)
    return code is None or code.startswith(AWAY_SQLSTATES)
