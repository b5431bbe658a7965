"""The form of a cluster: what it takes, what it refuses, and secrets that stay where they are."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.webapp.clusters.conftest import SECRET, connected
from webapp.clusters.forms import ClusterForm
from webapp.clusters.models import Cluster, SealBroken

PLAIN = {
    "name": "production",
    "bootstrap": "a.example.org:9092",
    "protocol": "PLAINTEXT",
    "check_host_name": "on",
}
SCRAM = PLAIN | {
    "protocol": "SASL_SSL", "mechanism": "SCRAM-SHA-512", "username": "journalscope", "password": SECRET,
}  # fmt: skip


def pem() -> tuple[str, str]:
    """A certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + dt.timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
    form = serialization.PrivateFormat.PKCS8
    return certificate, key.private_bytes(
        serialization.Encoding.PEM, form, serialization.NoEncryption()
    ).decode()


def form_of(project: Any, given: dict[str, Any], cluster: Cluster | None = None) -> ClusterForm:
    """The form as the page fills it in, on a row of its own."""
    row = Cluster.objects.get(pk=cluster.pk) if cluster else None
    return ClusterForm(project, given, instance=row)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a.example.org:9092", "a.example.org:9092"),
        (" a:1,b:2 ; [::1]:3\nc:65535 ", "a:1, b:2, [::1]:3, c:65535"),
    ],
)
def test_servers_are_written_as_people_write_them(project: Any, given: str, kept: str) -> None:
    form = form_of(project, PLAIN | {"bootstrap": given})
    assert form.is_valid(), form.errors
    assert form.members["bootstrap"] == kept


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bootstrap", "a.example.org"),
        ("bootstrap", "a.example.org:0"),
        ("bootstrap", "a.example.org:65536"),
        ("bootstrap", "http://a.example.org:9092"),
        ("bootstrap", "a b:1"),
        ("bootstrap", ", ;"),
        ("ca_pem", "no certificate"),
        ("certificate_pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
        ("key_pem", "-----BEGIN CERTIFICATE-----"),
        ("registry_url", "registry.example.org:8081"),
        ("registry_url", "https://name:password@registry.example.org"),
        ("token_url", "file:///etc/passwd"),
    ],
)
def test_what_cannot_be_an_address_or_a_key_is_refused(project: Any, field: str, value: str) -> None:
    assert field in form_of(project, PLAIN | {field: value}).errors


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"mechanism": ""}, "mechanism"),
        ({"username": ""}, "username"),
        ({"password": ""}, "password"),
        ({"mechanism": "OAUTHBEARER"}, "token"),
        ({"mechanism": "OAUTHBEARER", "token_url": "https://login.example.org/token"}, "client_id"),
        ({"mechanism": "OAUTHBEARER", "token_url": "https://login.example.org/token", "client_id": "c"}, "client_secret"),
    ],
)  # fmt: skip
def test_a_sign_in_has_all_it_needs(project: Any, given: dict[str, str], field: str) -> None:
    assert next(iter(form_of(project, SCRAM | given).errors)) == field


def test_a_client_certificate_needs_its_key(project: Any) -> None:
    certificate, key = pem()
    tls = PLAIN | {"protocol": "SSL", "certificate_pem": certificate}
    assert list(form_of(project, tls).errors) == ["key_pem"]
    form = form_of(project, tls | {"key_pem": key})
    assert form.is_valid(), form.errors
    assert form.secrets == {"key_pem": key}


def test_a_name_is_taken_once_in_a_project(project: Any) -> None:
    cluster = connected(project, "production")
    assert "name" in form_of(project, PLAIN).errors
    assert "name" not in form_of(project, SCRAM, cluster).errors


def test_an_empty_secret_stays_and_a_box_takes_it_away(project: Any, cluster: Cluster) -> None:
    same = SCRAM | {
        "name": "staging", "bootstrap": cluster.bootstrap, "protocol": cluster.protocol,
        "mechanism": cluster.mechanism, "password": "",
    }  # fmt: skip
    kept = form_of(project, same, cluster)
    assert kept.is_valid(), kept.errors
    assert kept.secrets == {"password": SECRET}
    other = form_of(project, same | {"password": "another"}, cluster)
    assert other.is_valid()
    assert other.secrets == {"password": "another"}
    gone = form_of(project, PLAIN | {"bootstrap": cluster.bootstrap, "remove_password": "on"}, cluster)
    assert gone.is_valid(), gone.errors
    assert gone.secrets == {}


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"bootstrap": "broker1.example.org:9092, mine.example.org:9092"},
        {"protocol": "SASL_SSL"},
        {"mechanism": "PLAIN"},
        {"check_host_name": ""},
    ],
)
def test_a_secret_is_entered_again_when_it_would_go_elsewhere(
    project: Any, cluster: Cluster, elsewhere: dict[str, str]
) -> None:
    same = {
        "name": "staging", "bootstrap": cluster.bootstrap, "protocol": cluster.protocol,
        "mechanism": cluster.mechanism, "username": "journalscope", "check_host_name": "on",
    }  # fmt: skip
    assert form_of(project, same, cluster).is_valid()
    assert list(form_of(project, same | elsewhere, cluster).errors) == ["password"]
    assert form_of(project, same | elsewhere | {"password": SECRET}, cluster).is_valid()


def test_a_sign_in_without_its_mechanism_is_refused_also_where_a_password_is_kept(
    project: Any, cluster: Cluster
) -> None:
    same = {name: getattr(cluster, name) for name in ("name", "bootstrap", "protocol", "username", "ca_pem")}
    form = form_of(project, same | {"check_host_name": "on", "mechanism": ""}, cluster)
    assert "mechanism" in form.errors


def test_no_form_shows_a_secret(project: Any, cluster: Cluster) -> None:
    _, key = pem()
    wrong = form_of(project, SCRAM | {"bootstrap": "", "key_pem": key, "token": SECRET}, cluster)
    assert not wrong.is_valid()
    for form in (wrong, ClusterForm(project, instance=cluster)):
        text = form.as_p()
        assert SECRET not in text
        assert key.splitlines()[1] not in text
        assert SECRET not in repr(form)


def test_secrets_are_sealed_in_the_row_and_open_with_the_same_key_only(
    cluster: Cluster, settings: Any
) -> None:
    kept = Cluster.objects.get(pk=cluster.pk)
    assert kept.secrets == {"password": SECRET}
    assert SECRET not in str(vars(kept)) + repr(kept) + str(kept)
    settings.SECRET_KEY = "another one"
    with pytest.raises(SealBroken, match="SECRET_KEY"):
        _ = kept.secrets
    form = ClusterForm(kept.project, instance=kept)
    assert form.is_broken
