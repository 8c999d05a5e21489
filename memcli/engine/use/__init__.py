"""What use says of a memory: accounts, and how far it may travel by them."""
