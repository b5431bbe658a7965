"""Keys and values in a share: masks search what a schema decodes, and hide what they cannot search.

    JSON                    by its members
    decoded by a schema     as JSON of the decoded members; bytes among them are hidden
    fields of Kafka's own   keys of group and transaction coordinators, as JSON
    text                    matches of masks
    anything else           hidden as a whole, like values that several schemas decode to different secrets

A dialect's own secrets (`spark.terms.secret_members`) are masked in its topics in addition to the share's masks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from spark.codecs.kafka_message import read_versioned
from spark.codecs.kafka_topics import consumer_offsets, share_group_state, transaction_state
from spark.redaction.masking.masks import BINARY, MASKED, ShareMasks
from spark.redaction.options import Options
from spark.tables.schemas.reader import NotAllTried, SchemaReader
from spark.terms.errors import Unreadable
from spark.terms.secret_members import OF_SESSION_KEYS, SECRETS_OF, SESSION_KEY, JournalSecrets

MAX_NAME_BYTES = 200  # a key longer than that is no name of a setting
VERSION_BYTES = 2


class ShownBytes:
    """The bytes of one share. `dialects`: ids by topic."""

    def __init__(self, options: Options, masks: ShareMasks, dialects: Mapping[str, str]) -> None:
        self._options, self._plain, self._dialects = options, masks, dialects
        self._of_dialects = {
            dialect: self._with(secrets)
            for dialect, secrets in SECRETS_OF.items()
            if dialect in set(dialects.values())
        }
        self._of_session_keys = self._with(OF_SESSION_KEYS)
        self.reader: SchemaReader | None = None

    @property
    def are_plain(self) -> bool:
        """Whether bytes are shown unchanged, except in journals that store secrets."""
        return not self._plain.are_any and not self._of_dialects

    def masks_of(self, topic: str | None) -> ShareMasks:
        return self._of_dialects.get(self._dialects.get(topic or "", ""), self._plain)

    def key(self, topic: str | None, key: bytes) -> bytes:
        masks = self.masks_of(topic)
        read = KEYS.get(self._dialects.get(topic or "", ""))
        members = read(key) if read and masks.are_any else None
        return self._decoded(masks, key) if members is None else masks.members(members).encode()

    def value(self, topic: str | None, key: bytes | None, value: bytes) -> bytes:
        """A value's bytes; masked if its key is a masked name."""
        if key == SESSION_KEY:
            return self._of_session_keys.payload(value)
        masks = self.masks_of(topic)
        if value and key and len(key) <= MAX_NAME_BYTES and masks.is_named_by(key):
            return MASKED.encode()
        return self._decoded(masks, value)

    def _with(self, secrets: JournalSecrets) -> ShareMasks:
        return ShareMasks(
            (*self._options.fields, *secrets.fields), (*self._options.patterns, *secrets.patterns)
        )

    def _decoded(self, masks: ShareMasks, data: bytes) -> bytes:
        if not masks.are_any or not data:
            return data
        try:
            readings = self.reader.readings(data) if self.reader and not _is_json(data) else []
        except NotAllTried:
            return BINARY
        if not readings:
            return masks.payload(data)
        masked = [masks.members(reading) for reading in readings]
        is_sure = len(readings) == 1 or all(
            text == ShareMasks((), ()).members(reading)
            for text, reading in zip(masked, readings, strict=True)
        )
        return masked[0].encode() if is_sure else BINARY


def _is_json(data: bytes) -> bool:
    try:
        return data.lstrip()[:1] in (b"{", b"[") and json.loads(data) is not None
    except (ValueError, RecursionError):
        return False


def _coordinator_key(key: bytes) -> dict[str, Any] | None:
    """A key of `__consumer_offsets`."""
    kind = consumer_offsets.RECORD_TYPES.get(int.from_bytes(key[:VERSION_BYTES], "big", signed=True))
    return None if kind is None or len(key) < VERSION_BYTES else _members(kind.key, key)


def _members(form: Any, key: bytes) -> dict[str, Any] | None:
    try:
        return dict(read_versioned(form, key, "key"))
    except Unreadable:
        return None


KEYS: Mapping[str, Callable[[bytes], dict[str, Any] | None]] = {
    "consumer-offsets": _coordinator_key,
    "share-group-state": lambda key: _members(share_group_state.KEY, key),
    "transaction-state": lambda key: _members(transaction_state.KEY, key),
}
