"""How a store stands, what is wrong with it, and what to do."""
