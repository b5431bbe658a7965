"""Bytes of other formats -> values: Avro, Protobuf, varints, a schema registry's framing, JSON within bounds.

    varint              numbers of variable length
    avro                values by their schema; `AvroCursor` for records whose fields are known beforehand
    protobuf            messages by descriptors
    proto_file/         the text of .proto files
    registry_framing    the id before a payload, the indexes before a Protobuf message
    candidate_schemas   which of many schemas read a value to its last byte
    json_text           JSON that may not nest too deeply

Hostile bytes and hostile schemas are daily bread: everything has bounds in items, depth or seconds. Knows no tables.
"""
