"""Hashes are those that real registries computed for the same schemas."""

from __future__ import annotations

from random import Random

from tests.generator.schemas import Reference, Schema, catalogue, protobuf, referring_proto, sha256


def test_a_plain_protobuf_has_the_canonical_hash_a_registry_gave_it():
    money = protobuf("pay", "money.proto", {"Money": ["string currency", "int64 units", "int32 nanos"]})
    assert money.content_hash == "89d3ad512432bdb2cb7d312693c80a8511fb91e8b625ad1c441c419b2b86530a"
    assert money.canonical_hash == "26e480ada9421d198c6382010b1a211e9a9db9503538d8ef40ae24cc40d7c1c4"
    assert money.legacy_canonical_hash == money.canonical_hash


def test_references_are_hashed_with_null_for_the_default_group():
    reference = Reference(None, "any", "1", "google/protobuf/any.proto")
    schema = Schema(None, "error", "PROTOBUF", b"", b"", (reference,))
    assert schema.reference_bytes == (
        b'[{"groupId":null,"artifactId":"any","version":"1","name":"google/protobuf/any.proto"}]'
    )
    assert schema.content_hash == sha256(schema.reference_bytes)


def test_only_a_protobuf_with_references_is_stale_for_the_upgrader():
    ordinary = [version for versions in catalogue(Random(3), 40) for version in versions]
    assert {each.type for each in ordinary} == {"AVRO", "JSON", "OPENAPI"}
    assert all(each.canonical_hash == each.legacy_canonical_hash for each in ordinary)
    for version in referring_proto("payments/invoice.proto", 3):
        assert version.canonical_hash != version.legacy_canonical_hash


def test_each_version_of_an_artifact_has_a_content_of_its_own():
    for versions in catalogue(Random(5), 40):
        assert len({version.content_hash for version in versions}) == len(versions)
        assert len({(version.group, version.artifact) for version in versions}) == 1
