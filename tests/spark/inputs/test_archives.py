"""Archives: what comes out, and what is refused with nothing left behind."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from spark.inputs.archive_limits import ArchiveLimits
from spark.inputs.archives import unpack
from spark.terms.errors import UnreadableInput

FILES = {"orders-0/00000000000000000000.log": b"first segment", "orders-0/leader-epoch-checkpoint": b"0\n0\n"}
SMALL = ArchiveLimits(
    max_members=5, max_file_bytes=4 << 20, max_total_bytes=6 << 20, max_ratio=50, ratio_from_bytes=1 << 20
)


def make_zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def make_tar(files: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in more:
            archive.addfile(info)
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


WRAPPERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": make_zip,
    "tar": make_tar,
    "tar.gz": lambda files: gzip.compress(make_tar(files)),
    "tar.zst": lambda files: zstd(make_tar(files)),
}


@pytest.fixture
def open_archive(tmp_path: Path) -> Callable[..., dict[str, bytes]]:
    def open_it(data: bytes, limits: ArchiveLimits = SMALL, name: str = "dump") -> dict[str, bytes]:
        path = tmp_path / "blob"
        path.write_bytes(data)
        return {one.name: one.path.read_bytes() for one in unpack(path, name, tmp_path / "scratch", limits)}

    return open_it


def refused(tmp_path: Path, open_archive: Callable[..., object], data: bytes, *words: str) -> None:
    """The archive is refused in these words and nothing of it stays."""
    with pytest.raises(UnreadableInput) as caught:
        open_archive(data)
    assert all(word in str(caught.value) for word in words), caught.value
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("kind", WRAPPERS)
def test_members_come_out_whole_and_named_below_the_archive(open_archive, kind):
    assert open_archive(WRAPPERS[kind](FILES)) == {f"dump/{name}": content for name, content in FILES.items()}


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gz", "zst"])
def test_one_compressed_file_keeps_its_name_without_the_ending(open_archive, compress):
    assert open_archive(compress(b"[]" * 500), name="dump.json.gz") == {"dump.json.gz/dump.json": b"[]" * 500}


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gz", "zst"])
def test_several_frames_in_a_row_are_one_file(open_archive, compress):
    assert list(open_archive(compress(b"one ") + compress(b"two")).values()) == [b"one two"]


@pytest.mark.parametrize("kind", WRAPPERS)
@pytest.mark.parametrize(
    "name", ["../evil.log", "/etc/evil.log", "a/../../evil.log", "C:\\evil.log", "..\\evil.log"]
)
def test_a_name_that_leaves_the_folder_is_refused(tmp_path, open_archive, kind, name):
    refused(tmp_path, open_archive, WRAPPERS[kind]({"good.log": b"x", name: b"y"}), "leads out")


@pytest.mark.parametrize("type_", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path, open_archive, type_):
    info = tarfile.TarInfo("orders-0/link")
    info.type, info.linkname = type_, "/etc/passwd"
    refused(tmp_path, open_archive, make_tar(FILES, info), "orders-0/link", "link or a device")


def test_a_symlink_in_a_zip_is_refused(tmp_path, open_archive):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    refused(tmp_path, open_archive, out.getvalue(), "link")


def test_a_password_is_said(tmp_path, open_archive):
    data = bytearray(make_zip({"a.log": b"secret"}))
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    refused(tmp_path, open_archive, bytes(data), "password")


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.zst"])
def test_a_bomb_is_stopped_by_its_ratio(tmp_path, open_archive, kind):
    refused(tmp_path, open_archive, WRAPPERS[kind]({"zeros": bytes(3 << 20)}), "times its size")


def test_zeros_that_are_small_in_all_are_no_bomb(open_archive):
    preallocated = {"orders-0/00000000000000000000.index": bytes(600_000)}
    assert len(open_archive(make_zip(preallocated))) == 1


@pytest.mark.parametrize("kind", WRAPPERS)
def test_too_many_members_are_refused(tmp_path, open_archive, kind):
    refused(tmp_path, open_archive, WRAPPERS[kind]({f"{n}.log": b"x" for n in range(6)}), "more than 5 files")


def test_a_file_above_the_limit_is_refused(tmp_path, open_archive):
    refused(tmp_path, open_archive, make_tar({"big.log": bytes(5 << 20)}), "big.log", "MAX_FILE_BYTES")


def test_all_files_together_have_a_limit(tmp_path, open_archive):
    refused(tmp_path, open_archive, make_tar({f"{n}.log": bytes(3 << 20) for n in range(3)}), "6 MiB in all")


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.zst"])
def test_a_name_that_is_there_twice_is_refused(tmp_path, open_archive, kind):
    data = make_tar({"a.log": b"1"}, tarfile.TarInfo("a.log"))
    compress = {"tar": bytes, "tar.gz": gzip.compress, "tar.zst": zstd}[kind]
    refused(tmp_path, open_archive, compress(data), "two files named")


def test_an_archive_in_an_archive_is_unpacked(open_archive):
    found = open_archive(make_tar({"inner.zip": make_zip(FILES)}))
    assert set(found) == {f"dump/inner.zip/{name}" for name in FILES}


def test_an_archive_in_an_archive_in_an_archive_is_refused(tmp_path, open_archive):
    inner = make_zip(FILES)
    refused(
        tmp_path,
        open_archive,
        make_zip({"outer.zip": make_zip({"inner.zip": inner})}),
        "nested three levels deep",
    )


def test_a_nested_bomb_counts_against_the_outer_archive(tmp_path, open_archive):
    bomb = gzip.compress(make_zip({"zeros": bytes(3 << 20)}))
    refused(tmp_path, open_archive, make_zip({"inner.gz": bomb}), "dump was not unpacked")


def test_a_zip_file_without_its_end_says_so_and_how_to_make_another(tmp_path, open_archive):
    whole = make_zip({"a.log": bytes(99)})
    refused(tmp_path, open_archive, whole[:-30], "damaged (its end, with the list of its files, is missing)")
    refused(tmp_path, open_archive, whole[:-30], "`tar -czf TOPIC-0.tar.gz TOPIC-0`")


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_cut_archive_is_refused_at_every_length(tmp_path, open_archive, kind):
    whole = WRAPPERS[kind]({"a.log": bytes(range(256)) * 8})
    least = 520 if kind == "tar" else 12  # shorter than that it is not recognised as an archive
    for length in range(least, len(whole) - (1024 if kind == "tar" else 1), max(1, len(whole) // 60)):
        try:
            found = open_archive(whole[:length])
        except UnreadableInput as refusal:
            assert "truncated or damaged" in str(refusal)  # noqa: PT017 (some lengths are read)
            assert list((tmp_path / "scratch").iterdir()) == []
        else:  # a tar that lacks only its padding
            assert kind.startswith("tar")
            assert found == {"dump/a.log": bytes(range(256)) * 8}
            for folder in (tmp_path / "scratch").iterdir():
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()


def test_a_header_of_many_megabytes_is_refused(tmp_path, open_archive):
    info = tarfile.TarInfo("a.log")
    info.pax_headers = {"comment": "x" * (9 << 20)}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    refused(tmp_path, open_archive, gzip.compress(out.getvalue()), "header of many megabytes")


def test_a_name_of_broken_bytes_can_be_printed(open_archive):
    (name,) = open_archive(make_tar({"caf\udce9\n.log": b"x"}))
    assert name == "dump/caf\ufffd\ufffd.log"
