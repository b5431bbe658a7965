"""The form in which a service writes keys and values, where that is no form of plain data: by journal type, side and type of entry.

    form => `form` of the tab Profile and of the API; its words: webapp/reports/pages/_profile_rows.py

A key or value that is not named here, or that the dialect cannot read, has the form of its bytes (spark/tables/forms.py).
"""

from __future__ import annotations

from collections.abc import Mapping

SIDES = ("key", "value")
ANY = ""  # type of entries
KAFKA = {ANY: "kafka_fields"}
TYPED = {ANY: "typed_json"}
SERVICE_FORMS: dict[str, dict[str, dict[str, str]]] = {
    "apicurio-v2": {"key": TYPED, "value": {"Content": "typed_content"} | TYPED},
    "cluster-metadata": {"value": KAFKA},
    "consumer-offsets": {"key": KAFKA, "value": KAFKA},
    "mirror-maker": {"key": KAFKA, "value": KAFKA},
    "remote-log-metadata": {"value": KAFKA},
    "share-group-state": {"key": KAFKA, "value": KAFKA},
    "streams-joins": {"key": {ANY: "join_key"}, "value": {ANY: "join_values"}},
    "streams-suppress": {"value": {ANY: "buffered_result"}},
    "streams-windows": {"key": {ANY: "window_key"}},
    "transaction-state": {"key": KAFKA, "value": KAFKA},
}


def service_forms(dialect: str, side: str) -> Mapping[str, str]:
    """Forms by type of entry, `ANY` last; empty where the bytes decide. `side`: key or value."""
    return SERVICE_FORMS.get(dialect, {}).get(side, {})
