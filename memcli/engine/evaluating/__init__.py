"""How well mem does with a store: counted, compared with what was expected, and never changed."""
