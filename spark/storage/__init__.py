"""Storage: files by their path on this machine or by their address in an object store, through one door.

    address.py      addresses, their stores, why a store refuses           files.py   open, measure, read, list
    ranges.py       a store's file as memory into which ranges are loaded
    stored_path.py  folders of results, local or in a store                copies.py  local copies of files that never change
    room.py         the limit of all copies                                pins.py    copies that stay while they are open

Plain paths go straight to the operating system. Addresses go to Arrow's file systems, loaded at the first use.
"""
