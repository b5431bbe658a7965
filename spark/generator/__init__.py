"""Test and sample journals, byte for byte as a broker and its clients would have written them."""
