"""What each page asks of the result tables: SQL in, plain rows out. One module per page's question."""
