"""Connections to DuckDB: quiet, and closed to the network."""

from __future__ import annotations

from tests.builders import given_tables


def test_duckdb_draws_no_progress_bar_into_what_we_print() -> None:
    """After two seconds it would, on the standard output: of a command with --json, of a process that answers there."""
    (row,) = given_tables({}).rows("SELECT current_setting('enable_progress_bar') AS draws")
    assert row == {"draws": False}
