"""Secrets are cut out of members and texts; what only names a secret stays."""

from __future__ import annotations

import pytest

from spark.terms.secret_members import REDACTED, redacted, without_secrets


@pytest.mark.parametrize(
    "name",
    [
        "connection.password", "ssl.key.password", "aws_secret_access_key", "api.key", "sasl.jaas.config", "access-token",
        "azure.account.key", "ssl.keystore.key", "basic.auth.user.info", "Client.Secret", "passphrase", "pwd",
    ],
)  # fmt: skip
def test_a_name_that_says_so_is_a_secret(name: str) -> None:
    assert redacted({name: "x"}) == {name: REDACTED}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("connection.password", "${vault:db:password}"), ("connection.password", ""), ("token.endpoint.url", "https://x"),
        ("ssl.keystore.location", "/etc/keys"), ("key.converter", "x"), ("password.file", "/etc/p"), ("topic", "tokens"),
        ("connection.password", None), ("secret.ttl.ms", "5"), ("note", "mail me@example.com = now"),
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(name: str, value: object) -> None:
    assert redacted({name: value}) == {name: value}


def test_a_reference_with_a_secret_beside_it_is_cut_out() -> None:
    assert redacted({"password": "${file:x:y}hunter2"}) == {"password": REDACTED}


def test_members_of_members_are_looked_at() -> None:
    assert redacted({"a": {"password": "x", "b": 1}}) == {"a": {"password": REDACTED, "b": 1}}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("mongodb://me:hunter2@db/x", "mongodb://me:[redacted]@db/x"),
        ("jdbc:x://db?user=me&password=hunter2&a=b", "jdbc:x://db?user=me&password=[redacted]&a=b"),
        (
            'Module required username="me" password="a;b";',
            'Module required username="me" password=[redacted];',
        ),
        ("ALTER USER x IDENTIFIED BY 'hunter2'", "ALTER USER x IDENTIFIED BY '[redacted]'"),
        ("https://db:5432/x", "https://db:5432/x"),
        ("SELECT 1", "SELECT 1"),
    ],
)
def test_secrets_within_a_text_are_cut_out(text: str, left: str) -> None:
    assert without_secrets(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "CREATE SOURCE CONNECTOR c WITH ('connector.class'='x', 'connection.password'='hunter2');",
        'CREATE STREAM s WITH ("ssl.key.password" = "hunter2")',
        "CREATE USER u IDENTIFIED WITH mysql_native_password AS 'hunter2'",
        "ALTER USER u IDENTIFIED BY hunter2 REPLACE x",
        "CREATE USER u IDENTIFIED VIA mysql_native_password USING 'hunter2'",
        "CREATE LOGIN u WITH PASSWORD = N'hunter2'",
        "ALTER ROLE u ENCRYPTED PASSWORD 'hunter2'",
        "SET PASSWORD FOR u = PASSWORD('hunter2')",
    ],
)
def test_statements_set_no_password_that_can_be_read(text: str) -> None:
    assert "hunter2" not in without_secrets(text)


@pytest.mark.parametrize(
    "name", ["token.converter", "secret.columns", "sasl.mechanism", "token.converter.schemas.enable"]
)
def test_a_converter_and_a_list_of_columns_are_no_secret(name: str) -> None:
    assert redacted({name: "x"}) == {name: "x"}


@pytest.mark.parametrize(
    "name",
    [
        "value.converter.schema.registry.ssl.keystore.password", "value.converter.basic.auth.user.info",
        "producer.ssl.keystore.key", "s3.access.key", "http.api.key", "gcs.private.key", "producer.override.sasl.jaas.config",
    ],
)  # fmt: skip
def test_settings_of_connectors_hold_secrets_by_their_names(name: str) -> None:
    assert redacted({name: "x"}) == {name: REDACTED}
