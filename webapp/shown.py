"""What pages, tickets, mails and logs do with characters that would be obeyed instead of shown: `spark.visible`."""

from spark.visible import IN_TEXT, one_line, visible

__all__ = ["IN_TEXT", "one_line", "visible"]
