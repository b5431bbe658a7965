"""A bundle is whole or it is not, and the sentence says why."""

from __future__ import annotations

import io
import stat
import warnings
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command

from webapp.sharing.evidence.bundle import write_bundle
from webapp.sharing.evidence.keys import UnusableKey, fingerprint, private_key, public_pem
from webapp.sharing.evidence.verify import NoBundle, verify

MADE_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MEMBERS = {"report.html": b"<p>one</p>" * 50, "report.json": b"{}", "README.txt": b"read me"}
KEY = Ed25519PrivateKey.generate()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.zip"
    with path.open("wb") as file:
        write_bundle(file, MEMBERS, KEY, MADE_AT)
    return path


def rewritten(path: Path, change: Callable[[dict[str, bytes]], Any]) -> Path:
    """The same zip with other members."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in members.items():
            new.writestr(name, data)
    return path


def test_what_was_made_is_whole(bundle: Path) -> None:
    verdict = verify(bundle, KEY.public_key())
    assert verdict.problems == []
    assert (verdict.members, verdict.made_at) == (4, "2026-03-01T12:00:00+00:00")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda of: of.update({"report.html": b"<p>two</p>"}), "report.html was changed."),
        (lambda of: of.pop("report.json"), "report.json is missing."),
        (lambda of: of.update({"more.txt": b""}), "more.txt was added"),
        (
            lambda of: of.update({"manifest.json": of["manifest.json"].replace(b"2026-03", b"2025-03")}),
            "signature does not match",
        ),
        (lambda of: of.update({"manifest.sig": b"AAAA"}), "signature does not match"),
        (lambda of: of.update({"manifest.sig": b"no base64!"}), "signature does not match"),
        (lambda of: of.pop("public-key.pem"), "public-key.pem is missing or no key"),
        (lambda of: of.update({"../evil": b""}), "../evil is not a plain file name."),
    ],
    ids=["changed", "missing", "extra", "manifest", "signature", "no signature", "no key", "path"],
)
def test_whatever_is_changed_is_named(bundle: Path, change: Any, problem: str) -> None:
    verdict = verify(rewritten(bundle, change))
    assert not verdict.is_whole
    assert any(problem in one for one in verdict.problems), verdict.problems


def test_a_bundle_signed_anew_by_somebody_else_does_not_fit_the_expected_key(bundle: Path) -> None:
    with bundle.open("wb") as file:
        write_bundle(file, {**MEMBERS, "report.json": b"forged"}, Ed25519PrivateKey.generate(), MADE_AT)
    assert verify(bundle).is_whole
    assert verify(bundle, KEY.public_key()).problems == [
        "It was signed with another key than the one you gave."
    ]


def test_two_members_of_one_name_are_refused(bundle: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(bundle, "a") as opened:
        warnings.simplefilter("ignore")
        opened.writestr("report.html", b"another")
    assert verify(bundle).problems == ["report.html is in it 2 times."]


@pytest.mark.parametrize(
    "place", ["before", "between", "behind"], ids=["before it", "between members", "behind it"]
)
def test_bytes_that_belong_to_no_member_are_refused(bundle: Path, place: str) -> None:
    data = bundle.read_bytes()
    if place == "before":
        bundle.write_bytes(b"#!/bin/sh\n" + data)
    elif place == "behind":
        with zipfile.ZipFile(bundle, "a") as opened:
            opened.comment = b"see also"
    else:
        with zipfile.ZipFile(bundle) as opened:
            start, infos = opened.start_dir, opened.infolist()
        out = io.BytesIO(data)
        out.seek(start)
        out.write(b"hidden")
        moved = data[start:-22] + data[-22:]
        end = len(moved) - 22
        offset = (start + 6).to_bytes(4, "little")
        bundle.write_bytes(data[:start] + b"hidden" + moved[: end + 16] + offset + moved[end + 20 :])
        assert len(zipfile.ZipFile(bundle).infolist()) == len(infos)
    assert not verify(bundle).is_whole


@pytest.mark.parametrize("length", [0, 1, 10, 100, -1, -10, -30])
def test_a_file_that_is_cut_off_is_no_bundle(bundle: Path, length: int) -> None:
    bundle.write_bytes(bundle.read_bytes()[:length])
    with pytest.raises(NoBundle):
        verify(bundle)


def test_no_single_changed_byte_passes_unseen(bundle: Path) -> None:
    data = bundle.read_bytes()
    for at in range(0, len(data), 7):
        bundle.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            whole = verify(bundle, KEY.public_key()).is_whole
        except NoBundle:
            continue
        if whole:  # times and rights of members are no content
            with zipfile.ZipFile(bundle) as opened:
                assert {name: opened.read(name) for name in MEMBERS} == MEMBERS


def test_another_zip_is_no_bundle(tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as other:
        other.writestr("a", b"")
    with pytest.raises(NoBundle, match=r"manifest.json and manifest.sig is not in it"):
        verify(path)


def test_the_command_says_it_in_words_and_by_its_exit_code(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def code(*words: object) -> int:
        with pytest.raises(SystemExit) as done:
            call_command("verify_evidence", *map(str, words))
        return int(done.value.code or 0)

    key, other = tmp_path / "key.pem", tmp_path / "other.pem"
    key.write_bytes(public_pem(KEY.public_key()))
    other.write_bytes(public_pem(Ed25519PrivateKey.generate().public_key()))
    assert code(bundle) == 0
    out = capsys.readouterr().out
    assert "evidence.zip is complete and unchanged: 4 members, as signed on 2026-03-01T12:00:00+00:00" in out
    assert fingerprint(KEY.public_key()) in out
    assert "anyone can sign" in out
    assert code(bundle, "--key", key) == 0
    assert "The signature matches the given key." in capsys.readouterr().out
    assert code(bundle, "--key", other) == 1
    assert code(bundle, "--key", tmp_path / "nowhere") == 2
    assert code(bundle, "--key", bundle) == 2
    assert code(tmp_path / "nowhere.zip") == 2
    assert code(key) == 2
    assert code(rewritten(bundle, lambda of: of.pop("README.txt"))) == 1
    assert "- README.txt is missing." in capsys.readouterr().out


def test_the_key_is_made_once_and_readable_by_its_owner_alone(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.EVIDENCE_KEY_FILE = tmp_path, ""
    first = fingerprint(private_key().public_key())
    assert fingerprint(private_key().public_key()) == first
    assert stat.S_IMODE((tmp_path / "evidence-key.pem").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if "evidence" in path.name] == ["evidence-key.pem"]


def test_a_key_file_that_is_none_is_said_and_never_replaced(settings: Any, tmp_path: Path) -> None:
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "mine.pem")
    (tmp_path / "mine.pem").write_text("no key")
    with pytest.raises(UnusableKey, match=r"mine.pem is not a readable private key"):
        private_key()
    assert (tmp_path / "mine.pem").read_text() == "no key"
