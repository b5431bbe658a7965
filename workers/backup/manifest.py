"""What a backup holds, and whether it still does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from webapp.journals.uploads import hash_of

FORMAT = 1
NAME, CHECKSUM = "manifest.json", "manifest.sha256"
BLOCK_BYTES = 1 << 20


class Damaged(Exception):
    """The backup has changed since it was made; the text says where."""


@dataclass
class Entry:
    path: str
    size_bytes: int
    sha256: str


@dataclass
class BackupManifest:
    created_at: str
    database: str
    migrations: list[str]
    rows: dict[str, int] = field(default_factory=dict)
    files: list[Entry] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    format: int = FORMAT

    def save(self, folder: Path) -> None:
        """Writes the manifest and its checksum."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        (folder / NAME).write_text(text, encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        (folder / CHECKSUM).write_text(f"{digest}  {NAME}\n")

    @classmethod
    def load(cls, folder: Path) -> BackupManifest:
        """Raises Damaged."""
        try:
            content = (folder / NAME).read_bytes()
            expected = (folder / CHECKSUM).read_text().split()[0]
        except (OSError, IndexError) as problem:
            raise Damaged(f"{folder} is not a complete backup: {NAME} or {CHECKSUM} is missing.") from problem
        if hashlib.sha256(content).hexdigest() != expected:
            raise Damaged(f"{folder / NAME} was changed after the backup was made.")
        document = json.loads(content)
        if document["format"] != FORMAT:
            raise Damaged(f"{folder} has format {document['format']}; this version reads format {FORMAT}.")
        return cls(**document | {"files": [Entry(**entry) for entry in document["files"]]})

    def check(self, folder: Path) -> None:
        """Every file is there with its size and hash. Raises Damaged, which names the first that is not."""
        for entry in self.files:
            path = folder / entry.path
            if not path.is_file():
                raise Damaged(f"{path} is missing. Restore from another backup.")
            if path.stat().st_size != entry.size_bytes or hash_of(path) != entry.sha256:
                raise Damaged(f"{path} is damaged: its bytes have changed. Restore from another backup.")


def copy(source: Path, target: Path) -> Entry:
    """Copy and hash a file; the entry's path is that of the target."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size_bytes = hashlib.sha256(), 0
    with source.open("rb") as reader, target.open("wb") as writer:
        while block := reader.read(BLOCK_BYTES):
            digest.update(block)
            writer.write(block)
            size_bytes += len(block)
    return Entry(str(target), size_bytes, digest.hexdigest())
