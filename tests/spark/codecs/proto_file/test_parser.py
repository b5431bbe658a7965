"""Protobuf as Wire prints it."""

from __future__ import annotations

import hashlib

import pytest

from spark.codecs.proto_file.parser import parsed

HEAD = "// Proto schema formatted by Wire, do not edit.\n// Source: \n"


def printed(content: str, oneofs_last: bool = False) -> str:
    file = parsed(content.encode())
    assert file
    text = file.text(oneofs_last).decode()
    assert text.startswith(HEAD)
    return text.removeprefix(HEAD)


def test_a_file_with_most_things_in_it() -> None:
    content = """
        // licence
        syntax = "proto3"; package pay.v1;
        import public "b.proto"; import "a.proto";
        option java_package = 'x.y'; option java_multiple_files = true;
        message Invoice { string id = 1; repeated pay.v1.Line lines = 0x2 [packed = false, deprecated = true];
          map<string,int32> counts = 3; message Inner { bytes raw = 1; } }
        enum Status { option allow_alias = true; NEW = 0; OLD = 1 [deprecated = true]; }
        service Pay { rpc Send (Invoice) returns (stream Invoice); rpc Get(stream Invoice) returns(Invoice) {} }
    """
    assert printed(content) == (
        '\nsyntax = "proto3";\n\npackage pay.v1;\n\nimport "a.proto";\nimport public "b.proto";\n'
        '\noption java_package = "x.y";\noption java_multiple_files = true;\n'
        "\nmessage Invoice {\n  string id = 1;\n\n  repeated pay.v1.Line lines = 2 [\n    packed = false,\n"
        "    deprecated = true\n  ];\n\n  map<string, int32> counts = 3;\n\n  message Inner {\n    bytes raw = 1;\n  }\n}\n"
        "\nenum Status {\n  option allow_alias = true;\n  NEW = 0;\n  OLD = 1 [deprecated = true];\n}\n"
        "\nservice Pay {\n  rpc Send (Invoice) returns (stream Invoice);\n  rpc Get (stream Invoice) returns (Invoice);\n}\n"
    )


def test_comments_before_and_behind_a_declaration_stay() -> None:
    content = "/** What\n * it is. */\nmessage A {\n  // why\n  string a = 1; // how\n  /* lost */\n}\n"
    assert printed(content) == ("\n// What\n// it is.\nmessage A {\n  // why\n  // how\n  string a = 1;\n}\n")


def test_a_oneof_stands_where_it_stood_and_before_2_4_0_last() -> None:
    content = "message A { oneof way { string b = 1; int32 c = 2; } string d = 3; }"
    oneof = "\n  oneof way {\n    string b = 1;\n    int32 c = 2;\n  }\n"
    field = "\n  string d = 3;\n"
    assert printed(content) == f"\nmessage A {{{oneof}{field}}}\n"
    assert printed(content, oneofs_last=True) == f"\nmessage A {{{field}{oneof}}}\n"


def test_what_is_reserved_or_left_open() -> None:
    content = 'message A { reserved 1, 3 to 5, 9 to max; reserved "x"; extensions 100 to 536870911; }'
    assert printed(content) == (
        '\nmessage A {\n  reserved 1, 3 to 5, 9 to max;\n  reserved "x";\n\n  extensions 100 to max;\n}\n'
    )


def test_default_and_json_name_go_last() -> None:
    content = 'message A { optional string a = 1 [json_name = "b", default = "c", deprecated = true]; }'
    assert '[\n    deprecated = true,\n    default = "c",\n    json_name = "b"\n  ];' in printed(content)


def test_an_empty_message_stays_on_one_line() -> None:
    assert printed("message A {}") == "\nmessage A {}\n"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "type Query { a: String }",
        "message A { string a }",
        "message A { group B = 1 {} }",
        "message A { extend B { int32 c = 1; } }",
        'message A { string a = 1 [default = "\\n"]; }',
        "message A { string a = 1 [(x).y = 2]; }",
        "option (x) = { a: 1 };",
        'import weak "a.proto";',
        "message A {",
    ],
)
def test_what_the_rules_do_not_cover_is_left_unread(content: str) -> None:
    assert parsed(content.encode()) is None


def test_only_what_all_versions_print_alike_is_certain() -> None:
    for content, is_plain in (
        (b"message A { string a = 1; }", True),
        (b"// why\nmessage A {}", False),
        (b"message A { oneof b { string c = 1; } }", False),
        (b"message A { reserved 1; }", False),
    ):
        file = parsed(content)
        assert file
        assert file.is_plain == is_plain


def test_its_own_output_is_printed_again_unchanged() -> None:
    file = parsed(b'syntax = "proto3"; message A { map<string, B> b = 1; enum C { D = 0; } }')
    assert file
    again = parsed(file.text())
    assert again
    assert hashlib.sha256(again.text()).hexdigest() == hashlib.sha256(file.text()).hexdigest()
