"""A broker as its settings describe it: which message format it writes, which version it may be.

    format 0   message format version below 0.10.0
    format 1   0.10.0 up to below 0.11.0
    format 2   0.11.0 and later; always where inter.broker.protocol.version is 3.0 or later (KIP-724)

Source: Kafka `ApiVersion.scala`, `MetadataVersion.java`, KIP-98, KIP-724.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Version = tuple[int, ...]
FORMAT_1: Version = (0, 10)
FORMAT_2: Version = (0, 11)
FORMAT_FIXED: Version = (3, 0)
CONVERSION_GONE: Version = (4, 0)
EPOCHS_MENDED: Version = (2, 2, 1)  # KAFKA-7601 and KAFKA-7897: 2.2.1 and 2.3.0


def version(text: str) -> Version:
    """`0.10.2-IV0` -> (0, 10, 2). Raises ValueError when it is no version."""
    match = re.fullmatch(r"(\d+(?:\.\d+){0,3})(?:-\w+)*", text.strip())
    if not match:
        message = f"{text!r} is not a Kafka version. Enter a version such as 2.8.1 or 0.10.2."
        raise ValueError(message)
    return tuple(int(number) for number in match[1].split("."))


def is_version(text: str | None) -> bool:
    try:
        return text is not None and bool(version(text))
    except ValueError:
        return False


def oldest(release: str | None) -> str | None:
    """The oldest version of a span such as `2.8 to 3.0`, which is all that a broker tells of itself; null: none named."""
    match = re.search(r"\d+(?:\.\d+)+", release or "")
    return match[0] if match else None


def magic(of: Version) -> int:
    """The message format that belongs to a version."""
    return 2 if of >= FORMAT_2 else int(of >= FORMAT_1)


@dataclass(frozen=True)
class Broker:
    """The settings that a user states; None where one is not stated."""

    version: str | None = None
    inter_broker_protocol_version: str | None = None
    message_format_version: str | None = None  # of the topic, else log.message.format.version of the broker
    left_traces_of_new: bool = False  # batches or files that only brokers of 0.11 and later write

    @property
    def is_new(self) -> bool | None:
        """Whether it knows format 2 (0.11 or later); null: not stated."""
        stated = [text for text in (self.version, self.inter_broker_protocol_version) if text]
        if stated:
            return any(version(text) >= FORMAT_2 for text in stated)
        return True if self.left_traces_of_new else None

    @property
    def writes(self) -> int | None:
        """The format it writes; null: not stated enough."""
        if self.version and version(self.version) < FORMAT_2:
            return magic(version(self.version))
        if self.ignores_format:
            return 2
        if self.message_format_version:
            return magic(version(self.message_format_version))
        return None if self.version is None else magic(self._protocol)

    @property
    def ignores_format(self) -> bool:
        """Whether message.format.version has no effect any more."""
        return self._protocol >= FORMAT_FIXED or self.converts_for_none

    @property
    def converts_for_none(self) -> bool:
        """Whether the broker no longer converts batches for old clients."""
        return self.version is not None and version(self.version) >= CONVERSION_GONE

    @property
    def keeps_stale_epochs(self) -> bool | None:
        """Whether it forgets to clear its leader epochs when an older format is written; null: not stated."""
        return None if self.version is None else version(self.version) < EPOCHS_MENDED

    @property
    def _protocol(self) -> Version:
        """The inter-broker protocol: that of the version unless stated."""
        stated = self.inter_broker_protocol_version or self.version
        return version(stated) if stated else (0,)


UNSTATED = Broker()
