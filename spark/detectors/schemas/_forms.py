"""The byte forms in which one logical key stands, oldest first, with what the last record of each says.

A form is the order of the members, the magic, and whether there is a seq. Redpanda's keys differ in their seqs by
design and are one form.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS, Row

FORMS = f"""
    WITH mixed AS (
        SELECT {REPLICA_COLUMNS}, entry_type FROM registry_writes WHERE entry_type IN ('SCHEMA', 'CONFIG', 'MODE')
        GROUP BY ALL HAVING min(form) <> max(form)
    ),
    several AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id FROM registry_writes JOIN mixed USING ({REPLICA_COLUMNS}, entry_type)
        GROUP BY ALL HAVING min(form) <> max(form)
    ),
    each AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, form, any_value(key_form) AS key_form, any_value(subject) AS subject,
            min("offset") AS first_offset, max("offset") AS last_offset, arg_max(entry_action, "offset") AS action,
            arg_max(CASE WHEN entry_action IN ('delete', 'empty') THEN hash('gone')
                ELSE hash([entry_action, text::VARCHAR, id::VARCHAR, level, mode]) END, "offset") AS says,
            bool_and(seq IS NOT NULL) AS is_sequenced
        FROM registry_writes JOIN several USING ({REPLICA_COLUMNS}, entry_type, entity_id) GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, entry_type, entity_id, any_value(subject) AS subject,
        list({{'key_form': key_form, 'first_offset': first_offset, 'last_offset': last_offset, 'action': action,
            'says': says, 'is_sequenced': is_sequenced}} ORDER BY last_offset) AS forms
    FROM each GROUP BY {REPLICA_COLUMNS}, entry_type, entity_id ORDER BY {REPLICA_COLUMNS}, min(first_offset)
"""
ACTIONS = {
    "register": "a schema", "soft-delete": "a soft delete", "delete": "a tombstone", "empty": "a delete with an empty value",
    "set": "a setting",
}  # fmt: skip


def last_action(form: Row) -> str:
    """What the last record of a form is."""
    return ACTIONS.get(form["action"], "a record")
