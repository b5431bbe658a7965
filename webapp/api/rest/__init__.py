"""How the operations of the API work: what each declares, and how it is answered."""
