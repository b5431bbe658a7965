"""Bytes of other formats -> values: Avro, Protobuf, varints, a schema registry's framing, JSON within bounds.

    varint              numbers of variable length
    avro                values by their schema; `AvroCursor` for records whose fields are known beforehand
    protobuf            messages by descriptors
    proto_file/         the text of .proto files
    registry_framing    the id before a payload, the index path before a Protobuf message
    candidate_schemas   which of many schemas read a value to its last byte
    json_text           JSON with limited nesting

Bytes and schemas may be hostile: everything has limits of items, depth or seconds. Knows no tables.
"""
