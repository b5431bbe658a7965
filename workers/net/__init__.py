"""Every connection to the outside: one guard that says where it may go, and one HTTP client that goes there and nowhere else.

A name is resolved once, each of its addresses is checked, and the connection goes to an address that was checked, whatever
the name says by then. Redirects are not followed; proxies that the environment names are not asked.
"""
