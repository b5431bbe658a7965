"""`shared` serves links to their readers, `dialogue` makes them, `lists` shows and revokes them."""
