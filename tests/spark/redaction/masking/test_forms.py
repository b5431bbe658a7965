"""The forms in which names and values are written: what masks hide in each, and what they leave alone."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from spark.codecs.length_blocks import written_blocks
from spark.redaction.masking.masks import BINARY, MASKED, ShareMasks
from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS

DEFAULTS = ShareMasks(DEFAULT_FIELDS, DEFAULT_PATTERNS)
FIELDS = ShareMasks(("**.password", "**.*token*", "db.*"), ())
SECRETS = ("hunter", "ter2", "swordfish", "Zq9")

FORMS = {
    "an element": "<user><name>orders</name><password>hunter2</password></user>",
    "an element with a prefix": '<a:password xmlns:a="x" kept="orders">hunter2 <b>swordfish</b></a:password>',
    "an element with attributes over lines": '<password\n  kind="orders"\n>hunter2</password>',
    "CDATA": "<password><![CDATA[hunter2 </x> swordfish]]></password><kept>orders</kept>",
    "an element that is cut": "<kept>orders</kept><password>hunter2",
    "an attribute": '<user name="orders" password="hunter2 swordfish"/>',
    "an attribute in single quotes": "<user name='orders' password='hunter2; swordfish'/>",
    "a property element": '<property name="password" value="hunter2"/><kept>orders</kept>',
    "a property with content": '<property value="orders" name="a"/><entry key="my.password">hunter2</entry>',
    "Hadoop's elements": "<property><name>db.password</name><value>hunter2</value></property><kept>orders</kept>",
    "value before name": "<p><value>hunter2</value><name>password</name></p><kept>orders</kept>",
    "a plist": "<dict><key>password</key><string>hunter2</string><key>a</key><string>orders</string></dict>",
    "escaped XML": "&lt;password&gt;hunter2&lt;/password&gt; orders",
    "a pair": json.dumps({"name": "password", "value": "hunter2", "kept": "orders"}),
    "pairs in a list": json.dumps([{"key": "db_password", "Value": {"a": "hunter2"}}, {"key": "a", "value": "orders"}]),
    "a pair with its value first": json.dumps({"newValue": "hunter2", "field": "password", "kept": "orders"}),
    "a credential": json.dumps({"type": "password", "value": "hunter2", "kept": "orders"}),
    "a patch": json.dumps([{"op": "orders", "path": "/user/password", "value": "hunter2"}]),
    "lists of two": json.dumps([["user", "orders"], ["password", "hunter2"]]),
    "arguments": json.dumps(["run", "--password", "hunter2", "--kept", "orders"]),
    "a pair in text": 'orders {"name": "password", "value": "hunter2"} orders',
    "a pair in YAML": "env:\n- name: DB_PASSWORD\n  value: hunter2\n",
    "URL-encoded": "user=orders&password=hunter%202&z=1",
    "URL-encoded throughout": quote("user=orders&password=hunter2&z=1", safe=""),
    "URL-encoded name": "user=orders&p%61ssword=hunter2",
    "URL-encoded twice": quote(quote("user=orders&password=hunter2", safe=""), safe=""),
    "an encoded sign within a value": "user=orders&password=a%26b%3Dhunter2",
    "a form with brackets": "user[name]=orders&user[password]=hunter2",
    "a duplicate member": '{"password": "x", "password": "hunter2", "kept": "orders"}',
    "a duplicate that hides": '{"a": {"password": "hunter2"}, "a": "orders"}',
    "a duplicate that hides deep": '{"k": [{"a": {"token": "hunter2"}, "a": 1}], "kept": "orders"}',
    "JSON deep in text": "2024-05-01 12:00:00 INFO orders got " + json.dumps({"a": {"password": "hunter2 x"}}) + " done",
    "JSON behind braces": '{{{orders} {"password": "hunter2"}',
    "JSON behind a template": '{orders}{not json}[{"password":"hunter2","a":1}]',
    "two documents": '{"kept":"orders"}\n{"password":"hunter2"}',
    "JSON with a comma too much": '{"kept": "orders", "password": "hunter2 swordfish",}',
    "JSON without quotes": "{kept: orders, password: hunter2}",
    "JSON that is cut": '{"kept": "orders", "password": "hunter2 sword',
    "JSON that is cut in a nest": '{"kept": "orders", "password": {"a": ["hunter2", {"b": "sword',
    "JSON with escaped letters, broken": '{"kept": "orders", "p\\u0061ssword": "hunter2",}',
    "JSON in a string, broken": '{"kept": "orders", "inner": "{\\"password\\": \\"hunter\\\\\\"2 swordfish\\"}"',
    "Python": "{'kept': 'orders', 'password': 'hunter2 swordfish', 'n': None}",
    "Python's bytes": "{'kept': 'orders', b'password': b'hunter2'}",
    "Python's pairs": "[('kept', 'orders'), ('password', 'hunter2')]",
    "Python's objects": "User(kept='orders', password=SecretStr('hunter2 x'))",
    "a dictionary's pair": "{'kept': 'orders', 'name': 'password', 'value': 'hunter2'}",
    "an assignment by index": "kept = 'orders'\nconfig['password'] = 'hunter2 swordfish'\n",
    "Java's map": "{kept=orders, password=hunter2 swordfish, port=1}",
    "Java's record": "User[kept=orders, password=hunter2]",
    "Ruby's hash": "{:kept=>'orders', :password=>'hunter2'}",
    "wildcard in text": "kept: orders\nmy-token-2: hunter2\n",
    "wildcard in a line": "INFO kept=orders accessToken=hunter2 n=1",
    "a semicolon in a value": "kept=orders\npassword=hun;ter2\n",
    "a connection string": "Server=orders;Password=hun;ter2;Database=x",
    "a connection string in quotes": 'Server=orders;Password="hunter2;swordfish";Database=x',
    "JDBC": "jdbc:sqlserver://orders:1433;user=x;password=hun ter2;encrypt=true",
    "JDBC with a query": "jdbc:mysql://orders/db?user=x&password=hunter2",
    "quoted with blanks": 'orders password="hunter2 swordfish" n=1',
    "single quotes with blanks": "orders password='hunter2 swordfish' n=1",
    "a quote in quotes": 'orders password="hunter\\"2 swordfish" n=1',
    "a quote that is not closed": 'kept=orders password="hunter2 swordfish',
    "SQL": "CREATE USER orders WITH PASSWORD 'hunter2 swordfish'",
    "SQL's columns": "INSERT INTO orders (name, password) VALUES ('x', 'hunter2')",
    "Cyrillic letters": "kept=orders pаsswоrd=hunter2",
    "Greek letters": '{"kept": "orders", "pαsswοrd": "hunter2"}',
    "full width": "kept=orders ｐａｓｓｗｏｒｄ：hunter2",
    "letters that are not shown": "kept=orders pass\u200bword=hunter2",
    "digits for letters": "kept=orders passw0rd=hunter2",
    "accents": "kept=orders pásswörd=hunter2",
    "a ligature": "kept=orders paßword=hunter2",
    "YAML": "kept: orders\nspring:\n  datasource:\n    password: hunter2 swordfish # x\n    url: x",
    "YAML's block": "kept: orders\npassword: |\n  hunter2\n  swordfish\nz: 1",
    "YAML's folds": "kept: orders\npassword: >-\n  hunter2\n\n  swordfish\nz: 1",
    "YAML's nest": "kept: orders\npassword:\n  current: hunter2\n  old: swordfish\nz: 1",
    "YAML's list": "kept: orders\ntokens:\n- hunter2\n- swordfish\nz: 1",
    "YAML's flow": "kept: orders\npassword: {a: hunter2, b: [swordfish]}\nz: 1",
    "YAML in quotes": "kept: orders\n'password': \"hunter2: swordfish\"\n",
    "properties": "kept=orders\nspring.datasource.password = hunter2 swordfish\n",
    "properties over lines": "kept=orders\npassword=hun\\\n   ter2\nz=1",
    "properties with a tab": "kept\torders\npassword\thunter2\n",
    "TOML": 'kept = "orders"\npassword = """\nhunter2\nswordfish"""\n',
    "a shell's variable": "export KEPT=orders\nexport DB_PASSWORD=hunter2\n",
    "options": "run --kept orders --password hunter2 -v",
    "options with a sign": "run --kept=orders --password=hunter2 -v",
    "CSV": "name,password\norders,hunter2\n",
    "a table": "| name | password |\n|---|---|\n| orders | hunter2 |\n",
    "a header": "Kept: orders\r\nAuthorization: Custom hunter2 swordfish\r\nZ: 1",
    "curl": "curl -H 'Kept: orders' -H 'X-Api-Token: hunter2 swordfish' http://x",
    "an address with a user": "amqp://joe:hunter2@h:5672/orders",
    "an address whose password has signs": "amqp://joe:hun@ter2:x@h:5672/orders",
    "a user without a scheme": "orders joe:hunter2@db.example:5432",
    "a label on its own line": "kept: orders\nPassword:\nhunter2\n",
    "another case": "KEPT=orders\nPASSWORD=hunter2",
    "a name parted otherwise": '{"kept": "orders", "accessKey": "hunter2", "private-key": "swordfish"}',
    "JSON in a string of JSON": json.dumps({"kept": "orders", "a": json.dumps({"b": json.dumps({"password": "hunter2"})})}),
    "XML in a string of JSON": json.dumps({"kept": "orders", "a": "<password>hunter2</password>"}),
    "Python in a string of JSON": json.dumps({"kept": "orders", "a": str({"password": "hunter2"})}),
}  # fmt: skip
WHOLE = {
    "a pair in text", "a pair in YAML", "a dictionary's pair", "CSV", "a table", "SQL's columns",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_masked_in_every_form_and_what_stands_beside_it_stays(form: str) -> None:
    told = DEFAULTS.payload(FORMS[form].encode()).decode()
    assert not [secret for secret in SECRETS if secret in told], told
    assert MASKED in told or "%5Bmasked%5D" in told
    assert "orders" in told.casefold() or form in WHOLE, told


@pytest.mark.parametrize(
    "data",
    [
        b"kept=orders\npassword=hun\0ter2\n",
        b"kept\0orders\0password\0hunter2\0",
        b"\x0corders\x0ehunter2",  # Avro, with no schema that says so
        b"\0\0\0\0\x07\x0chunter\x02",
        b"\0\0\0\0\x07hunter2",  # a frame; its id would be the length of a block
    ],
)
def test_bytes_that_are_no_text_are_hidden_whole_though_they_are_utf_8(data: bytes) -> None:
    assert DEFAULTS.payload(data) == BINARY


def test_text_in_blocks_with_their_lengths_is_masked_block_by_block() -> None:
    value = written_blocks(b"\x02\x01", [b"ab" * 32, b'{"password":"hunter2","kept":1}', b""])
    assert DEFAULTS.payload(value) == written_blocks(
        b"\x02\x01", [b"ab" * 32, b'{"password":"[masked]","kept":1}', b""]
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("prefix", [b"", b"\x02"])
def test_wide_letters_without_a_mark_are_read(encoding: str, prefix: bytes) -> None:
    data = prefix + '{"password": "hunter2", "kept": "orders"}'.encode(encoding)
    told = DEFAULTS.payload(data)
    assert b"hunter2" not in told.replace(b"\0", b"")
    assert b"orders" in told.replace(b"\0", b"")
    mail = prefix + "write to jane.doe@example.org now".encode(encoding)
    assert b"jane.doe" not in DEFAULTS.payload(mail).replace(b"\0", b"")


INNOCENT = [
    "The password is wrong, ask for another one.",
    "user joe changed the password at 12:00",
    "password",
    "/users/password/reset",
    '{"name": "password", "type": "string", "doc": "the password of a user"}',
    '["id", "password", "mail"]',
    '{"fields": [{"name": "password", "type": "string"}, {"name": "kept", "type": "int"}]}',
    '{"password": null, "kept": 1}',
    "password=null;kept=1",
    "kept=orders&n=1;x=2",
    "<kept password=''>orders</kept>",
    "<password/>orders",
    "<note>your password</note>",
    "a < b and password > c",
    "100% sure &amp; 20%25 off",
    "name,amount\norders,12\n",
    "INSERT INTO orders (name, amount) VALUES ('x', 1)",
    "kept: orders\nlist:\n- a\n- b\n",
    "passage=orders compass: north",
    "вход выполнен: да",
    "résumé: naïve café",
    "repo/app@sha256:9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0",
    "http://orders:8080/a?at=12:30",
    '{"a": "2024-05-01T12:00:00Z", "b": [1.50, -0, true]}',
    '{"content": "' + "ab1f" * 50 + '"}',
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_tells_no_value_stays_byte_for_byte(text: str) -> None:
    assert DEFAULTS.payload(text.encode()) == text.encode()


@pytest.mark.parametrize("data", [bytes(7) + b"\x05", b"\0\0\0\x05", b'\0\0\0\0\x01{"a":1}', b"a\0b\0"])
def test_numbers_in_bytes_stay(data: bytes) -> None:
    assert DEFAULTS.payload(data) == data


def test_a_path_that_ends_in_any_name_means_those_below_the_one_before() -> None:
    assert FIELDS.payload(b"db.url=hunter2\nweb.url=orders") == b"db.url=[masked]\nweb.url=orders"


def test_a_path_means_its_place_and_no_other() -> None:
    masks = ShareMasks(("config.password",), ())
    value = b'{"config": {"password": "hunter2"}, "other": {"password": "orders"}}'
    assert json.loads(masks.payload(value)) == {
        "config": {"password": MASKED},
        "other": {"password": "orders"},
    }


def test_bytes_that_are_no_text_are_hidden_whole() -> None:
    assert DEFAULTS.payload(b"password=\xff\xfe\xfd") == BINARY
