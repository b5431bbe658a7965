"""The text of .proto files: `scanner` reads tokens, `parser` declarations, `elements` print them like Wire."""
