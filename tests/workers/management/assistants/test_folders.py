"""Paths below the allowed folders, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.terms.errors import UnreadableInput
from tests.workers.management.assistants.client import McpClient
from workers.management.assistants.folders import AllowedFolders
from workers.management.assistants.refused import RefusedCall


@pytest.mark.parametrize(
    "text", ["/etc/passwd", "/no/such/file", "../dump", "a/../../dump", "~root/x", "s3://bucket/key", "", "a\0b", "x" * 5000]
)  # fmt: skip
def test_a_path_outside_is_refused_alike_whether_or_not_it_exists(tmp_path: Path, text: str) -> None:
    (tmp_path / "dump").write_text("x")
    (tmp_path / "in").mkdir()
    with pytest.raises(RefusedCall, match=r"is not below a folder|does not exist") as refused:
        AllowedFolders.of([tmp_path / "in"]).files(text)
    if text != "~root/x":
        assert "is not below a folder" in str(refused.value)


def test_links_are_followed_within_and_refused_if_they_lead_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    folder = tmp_path / "in"
    (folder / "below").mkdir(parents=True)
    (folder / "dump").write_text("x")
    (folder / "below" / "again").symlink_to(folder / "dump")
    allowed = AllowedFolders.of([folder])
    assert [file.name for file in allowed.files("below")[1]] == ["below/again"]
    (folder / "below" / "out").symlink_to(tmp_path / "secret")
    with pytest.raises(RefusedCall, match="link that leads out"):
        allowed.files("below")
    with pytest.raises(RefusedCall, match="is not below a folder"):
        allowed.files("below/out")
    (folder / "up").symlink_to(tmp_path)
    with pytest.raises(RefusedCall, match="is not below a folder"):
        allowed.files("up/secret")


def test_of_several_folders_the_first_with_the_path_counts(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "b" / "dump").write_text("x")
    allowed = AllowedFolders.of([tmp_path / "a", tmp_path / "b"])
    assert allowed.files("dump")[0] == tmp_path / "b" / "dump"
    assert allowed.files(str(tmp_path / "b" / "dump"))[0] == tmp_path / "b" / "dump"


def test_only_folders_can_be_allowed(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="is not a folder"):
        AllowedFolders.of([tmp_path / "none"])


@pytest.mark.slow
def test_a_client_gets_no_file_by_a_link(hiding: McpClient) -> None:
    for name in ("link.json", "/etc/passwd", "circle/x"):
        assert "is not below a folder" in hiding.refusal("inspect", input=name)
    assert "link that leads out" in hiding.refusal("inspect", input="with-link")
    assert "does not exist" in hiding.refusal("inspect", input="none.json")
