"""Keys and values of Apicurio Registry's journal as a page or an application prints them: JSON without the byte before it.

    Key => type:int8 json:bytes     Value => null | type:int8 json:bytes | 02 binary

The byte is the type of the record, without which a key with a uuid may be one of four. Source: Apicurio Registry 2.0.0 to 2.6.13,
`KafkaSqlKeySerializer`, `KafkaSqlValueSerializer` and `keys/*.java`.
"""

from __future__ import annotations

import re

from spark.sources._not_a_journal.documents import OF_APICURIO, first_document
from spark.sources._not_a_journal.words import NOT_WHOLE, Identified

OF_KEYS = {
    "tenantId", "bootstrapId", "ruleType", "contentHash", "contentId", "artifactId", "groupId", "uuid", "version", "principalId",
    "downloadId", "propertyName", "commentId",
}  # fmt: skip
OF_RECORDS = re.compile(
    r'"(?:contentHash|artifactId|action)"\s*:'
)  # of a key, or of every value but a content's
PLAIN = Identified(
    "JSON of keys or values of Apicurio Registry's journal, without their first byte (the type of the record),",
    OF_APICURIO,
    holds=NOT_WHOLE,
)


def identify(text: str, _is_whole: bool) -> Identified | None:
    """By a key: a tenant and only members of keys."""
    key = first_document(text) if '"tenantId"' in text else None
    is_key = isinstance(key, dict) and "tenantId" in key and len(key) > 1 and key.keys() <= OF_KEYS
    return PLAIN if is_key and OF_RECORDS.search(text) else None
