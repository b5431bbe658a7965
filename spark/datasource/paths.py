"""Paths and globs that a user loads -> the files to read.

The driver plans and the executors read, each by the same path: a folder that all of them see.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from spark.inputs.archive_kind import archive_kind
from spark.inputs.files_below import NamedFile, find
from spark.sources import InputFile
from spark.terms.errors import UnreadableInput

ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)


def input_files(paths: Sequence[str]) -> list[InputFile]:
    """Every file below the paths. Raises UnreadableInput with the path that cannot be read."""
    return [_input_file(file) for file in find(chosen_paths(paths))]


def chosen_paths(paths: Sequence[str]) -> list[Path]:
    """The paths and what the globs match, nothing below them opened. Raises UnreadableInput where there is nothing."""
    chosen = [path for text in paths for path in expanded(local(text))]
    for path in chosen:
        if not path.exists():
            raise UnreadableInput(
                f"{path} does not exist. Load a dump, a log segment or a folder, by its path on the driver and all executors."
            )
        if path.is_file():
            require_no_archive(path)
    return chosen


def local(text: str) -> str:
    """The path of a `file:` address; any other address is refused."""
    match = ADDRESS.fullmatch(text)
    if match is None or Path(text).exists():
        return text
    if match[1].lower() != "file":
        raise UnreadableInput(
            f"{text} is an address of {match[1]}. The data source reads folders that the driver and all executors see "
            "under the same path. Mount or copy the files into such a folder, and load its path."
        )
    return unquote(re.sub(r"^//(localhost)?(?=/)", "", match[2]))


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
