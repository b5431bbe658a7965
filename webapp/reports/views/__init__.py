"""One view file per page of a report; `page.py` is what they share."""
