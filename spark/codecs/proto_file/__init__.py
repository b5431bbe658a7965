"""The text of .proto files: `scanner` reads words, `parser` declarations, `elements` print them again as Wire does."""
