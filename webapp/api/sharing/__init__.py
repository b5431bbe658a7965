"""Links, exports, evidence."""
