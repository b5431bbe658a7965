"""What is required or vendored has an allowed licence and its text; a bill of materials has it and nothing that tests alone need."""

from __future__ import annotations

import sys
from email import message_from_string
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.packaging.built import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "packaging"))

import bill
import licences


@pytest.fixture(scope="module")
def dependencies() -> list[licences.Dependency]:
    return licences.dependencies(ROOT)


def test_every_licence_is_allowed_and_has_its_text(dependencies: list[licences.Dependency]) -> None:
    assert licences.refused(dependencies) == []
    assert [entry.name for entry in dependencies if not entry.files] == []


def test_vendored_libraries_are_among_them(dependencies: list[licences.Dependency]) -> None:
    names = {entry.name for entry in dependencies}
    assert {"numpy", "plotly.js-strict-dist-min", "@tabler/core", "htmx.org", "tus-js-client"} <= names
    assert "pytest" not in names
    folders = {path.name for path in (ROOT / "static" / "vendor").iterdir() if path.is_dir()}
    assert {entry.files[0].parent.name for entry in licences.vendored(ROOT)} == folders


@pytest.mark.parametrize("licence", ["AGPL-3.0-only", "unknown", "Other/Proprietary License"])
def test_another_licence_is_refused(licence: str) -> None:
    entry = licences.Dependency("new", "1", ("MIT", licence), ())
    assert licences.refused([entry]) == [f"new 1: MIT, {licence}"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"License-Expression": "MPL-2.0 AND (Apache-2.0 OR MIT)", "License": "x"}, ["MPL-2.0", "Apache-2.0", "MIT"]),
        ({"Classifier": "License :: OSI Approved :: BSD License", "License": "long text"}, ["BSD License"]),
        ({"License": "MIT"}, ["MIT"]),
        ({}, ["unknown"]),
    ],
)  # fmt: skip
def test_the_licence_of_a_package(fields: dict[str, str], expected: list[str]) -> None:
    written = "".join(f"{name}: {text}\n" for name, text in fields.items())
    package = SimpleNamespace(metadata=message_from_string(written))
    assert list(licences._licences("new", package)) == expected  # type: ignore[arg-type]


def test_the_document_has_the_list_and_the_texts(dependencies: list[licences.Dependency]) -> None:
    text = licences.document([entry for entry in dependencies if entry.name in ("htmx.org", "whitenoise")])
    assert "htmx.org 2.0.11: 0BSD" in text
    assert "Zero-Clause BSD" in text
    assert "whitenoise" in text


def test_the_bill_has_what_is_released_alone(tmp_path: Path) -> None:
    library = tmp_path / "lib.min.js"
    library.write_bytes(b"x")
    (tmp_path / "LICENSE").touch()
    made = {
        "metadata": {"component": {"bom-ref": "root"}},
        "components": [{"name": "Num_Py", "bom-ref": "a"}, {"name": "pytest", "bom-ref": "b"}],
        "dependencies": [{"ref": "root", "dependsOn": ["a", "b"]}, {"ref": "a"}, {"ref": "b"}],
    }
    vendored = licences.Dependency("@scope/lib", "1.2", ("MIT",), (tmp_path / "LICENSE",))
    document = bill.released(made, {"num-py"}, [vendored])
    assert [component["name"] for component in document["components"]] == ["Num_Py", "@scope/lib"]
    assert document["dependencies"] == [
        {"ref": "root", "dependsOn": ["a", "pkg:npm/%40scope/lib@1.2"]},
        {"ref": "a", "dependsOn": []},
        {"ref": "pkg:npm/%40scope/lib@1.2"},
    ]
    assert document["components"][1]["components"][0]["hashes"][0]["content"].startswith("2d711642b726b044")
