"""Paths, globs and addresses that a user loads -> the files to read.

The driver plans and the executors read, each by the same path, in a folder that all of them see, or by the same address of a store.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from spark.inputs.archive_kind import archive_kind
from spark.inputs.files_below import NamedFile, find
from spark.inputs.stored_files import find_stored, require_no_archives
from spark.sources import InputFile
from spark.storage.address import is_address, require_known
from spark.terms.errors import UnreadableInput


def input_files(paths: Sequence[str]) -> list[InputFile]:
    """Every file below the paths. Raises UnreadableInput with the path that cannot be read."""
    stored = [text for text in paths if is_stored(text)]
    files = [_input_file(file) for file in find(chosen_paths(paths))]
    if not stored:
        return files
    in_stores = find_stored(stored)
    require_no_archives(in_stores)
    return [*files, *in_stores]


def chosen_paths(paths: Sequence[str]) -> list[Path]:
    """The paths of this machine and what the globs match, nothing below them opened. Raises UnreadableInput where there is nothing, and
    for an address of an unknown kind."""
    for text in filter(is_stored, paths):
        require_known(text)
    chosen = [path for text in paths if not is_stored(text) for path in expanded(local(text))]
    for path in chosen:
        if not path.exists():
            raise UnreadableInput(
                f"{path} does not exist. Load a dump, a log segment or a folder, by its path on the driver and all executors."
            )
        if path.is_file():
            require_no_archive(path)
    return chosen


def is_stored(text: str) -> bool:
    """Whether a path that a user gives is an address of a store."""
    return is_address(text) and not Path(text).exists()


def local(text: str) -> str:
    """The path of a `file:` address, or the path itself."""
    if not text.lower().startswith("file:") or Path(text).exists():
        return text
    return unquote(re.sub(r"^//(localhost)?(?=/)", "", text[len("file:") :]))


def expanded(text: str) -> list[Path]:
    """The paths that a glob matches (`*`, `?`, `[...]`, and `**` for folders of any depth), or the path itself."""
    if Path(text).exists() or not glob.has_magic(text):
        return [Path(text)]
    matches = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
    if not matches:
        raise UnreadableInput(f"No file matches {text}. Check the pattern: it may have *, ?, [...] and **.")
    return [Path(match) for match in matches]


def _input_file(file: NamedFile) -> InputFile:
    require_no_archive(file.path)
    return InputFile(file.name, str(file.path), file.path.stat().st_size)


def require_no_archive(path: Path) -> None:
    """Raise UnreadableInput for an archive, which commands unpack on the driver, where executors do not look; and for a file
    that cannot be opened."""
    try:
        kind = archive_kind(path)
    except OSError as problem:
        raise UnreadableInput(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    if kind is not None:
        raise UnreadableInput(
            f"{path} is a {kind} archive. The data source reads files and folders, not archives. Unpack it and load the "
            "folder."
        )
