"""Between the network and Django: connections wait here, threads only work.

worker       gunicorn's worker process: its event loop holds the connections, its threads run Django
connections  deadlines for headers and for readers, and how many connections there may be
front        one request: its body first, then a thread, then the answer
bodies       how bodies arrive: whole, in a temporary file, or straight to an upload's thread
answers      what Django answered, in blocks that are asked for when the client has taken the last one
lanes        threads that one client holds at a time
limits       the numbers of all of these

And what starts the processes of one machine:

preflight    what must hold before they start, and how each is called
processes    child processes that never outlive their parent
"""
