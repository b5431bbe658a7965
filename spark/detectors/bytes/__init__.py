"""Bytes and files: what the bytes of log segments and their companions prove by themselves."""
