"""Which paths a call may name: files and folders below the allowed folders, wherever links lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from spark.inputs.files_below import NamedFile, find
from spark.storage.address import is_address
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed
from workers.management.assistants.refused import RefusedCall

OUTSIDE = "{path} is not below a folder that this server may read. It may read: {folders}."
LINK = "{path} contains a link that leads out of the folders that this server may read."
UNREADABLE = (
    "{path} cannot be read: it is neither a file nor a folder, or this server has no right to read all of it."
)
MANY = "{path} has more than {most:,} files. Name a file or a folder below it."
MISSING = "{path} does not exist. Name a dump, a log segment, a partition folder or an archive of them."


@dataclass(frozen=True)
class AllowedFolders:
    """`folders` are resolved. A relative path is looked for below each of them, in order."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> AllowedFolders:
        """Raises UnreadableInput for a path that is not a folder."""
        for path in paths:
            if not path.is_dir():
                raise UnreadableInput(f"{path} is not a folder. Name folders with --allow.")
        return cls(tuple(path.resolve() for path in paths))

    def files(self, text: str) -> tuple[Path, list[NamedFile]]:
        """The path that a call names, resolved, and the files below it. Raises RefusedCall."""
        path = self._resolved(text)
        if not path.exists():
            raise RefusedCall(MISSING.format(path=text))
        try:
            files = find([path])
        except UnreadableInput as problem:  # its words name the file
            raise RefusedCall(UNREADABLE.format(path=text)) from problem
        if len(files) > settings.MAX_JOURNAL_FILES:
            raise RefusedCall(MANY.format(path=text, most=settings.MAX_JOURNAL_FILES))
        if not all(self._contains(file.path.resolve()) for file in files):
            raise RefusedCall(LINK.format(path=text))
        return path, files

    def _resolved(self, text: str) -> Path:
        """A path outside is refused alike, whether or not it exists."""
        outside = OUTSIDE.format(path=text, folders=listed([str(folder) for folder in self.folders]))
        if not text or "\0" in text or is_address(text):
            raise RefusedCall(outside)
        try:
            paths = [(folder / text).resolve() for folder in self.folders]
            within = [path for path in paths if self._contains(path)]
            if not within:
                raise RefusedCall(outside)
            return next((path for path in within if path.exists()), within[0])
        except (OSError, RuntimeError, ValueError) as problem:  # a name that is too long, a circle of links
            raise RefusedCall(outside) from problem

    def _contains(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self.folders)
