"""Every connection to the outside goes where the guard (`webapp.networks`) lets it, and nowhere else: one HTTP client, and TCP.

A name is resolved once, each of its addresses is checked, and the connection goes to an address that was checked, whatever
the name says by then. Redirects are not followed; proxies that the environment names are not asked.
"""
