"""Positions in offsets of source connectors, as SQL: of those whose order within a source is known.

    Debezium MySQL, MariaDB   file and pos, within one server_id: files are numbered. With GTIDs and without server_id: no order
    Debezium PostgreSQL       lsn_commit. The lsn of events has no order: transactions overlap
    Debezium SQL Server       commit_lsn, hexadecimal of one length
    MirrorMaker               offset of the topic partition in the key
    JDBC                      incrementing, where there is no timestamp

Source: MySqlOffsetContext, PostgresOffsetContext, SqlServerOffsetContext (Debezium); MirrorUtils (Kafka).
"""

from __future__ import annotations

IS_SNAPSHOT = "coalesce(attributes->>'snapshot', 'false') NOT IN ('false', 'last')"
MIRROR = "offset in the source topic"

# `position_kind`: what may be compared; `position`: text in the order of the source.
POSITION = f"""
    CASE
        WHEN entry_action = 'delete' THEN NULL
        WHEN attributes->>'file' IS NOT NULL AND attributes->>'pos' IS NOT NULL AND (attributes->>'gtids' IS NULL OR attributes->>'server_id' IS NOT NULL)
            THEN 'binlog ' || regexp_replace(attributes->>'file', '[0-9]+$', '') || coalesce(attributes->>'server_id', '')
        WHEN attributes->>'lsn_commit' IS NOT NULL THEN 'lsn_commit'
        WHEN attributes->>'commit_lsn' IS NOT NULL THEN 'commit_lsn'
        WHEN contains(entity_id, '"cluster"') AND contains(entity_id, '"topic"') AND attributes->>'offset' IS NOT NULL THEN '{MIRROR}'
        WHEN attributes->>'incrementing' IS NOT NULL AND attributes->>'timestamp' IS NULL THEN 'incrementing'
    END AS position_kind,
    CASE split_part(position_kind, ' ', 1)
        WHEN 'binlog' THEN lpad(regexp_extract(attributes->>'file', '[0-9]+$'), 20, '0') || lpad(attributes->>'pos', 20, '0')
        WHEN 'lsn_commit' THEN lpad(attributes->>'lsn_commit', 20, '0')
        WHEN 'commit_lsn' THEN attributes->>'commit_lsn'
        WHEN 'offset' THEN lpad(attributes->>'offset', 20, '0')
        WHEN 'incrementing' THEN lpad(attributes->>'incrementing', 20, '0')
    END AS position
"""
